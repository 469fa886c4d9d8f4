import { useState } from "react"
import { Dialog } from "../../parts/Dialog.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, channels as t } from "../../texts/en.ts"

/** Asks for the name of a file in the channel's folder. */
export const FileNameDialog = ({
  begin,
  taken,
  take,
  close
}: {
  readonly begin: string
  readonly taken: ReadonlyArray<string>
  readonly take: (name: string) => void
  readonly close: () => void
}) => {
  const [name, setName] = useState(begin)
  const isTaken = name !== begin && taken.includes(name)
  const isUsable = name.trim() !== "" && !isTaken && name !== begin
  return (
    <Dialog title={begin === "" ? t.newFile : t.rename} close={close}>
      <form
        className={shared.field}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isUsable) return
          take(name.trim())
          close()
        }}
      >
        <label className={shared.field}>
          {t.fileName}
          <input value={name} spellCheck={false} onChange={({ target }) => setName(target.value)} />
          <small role="status">{isTaken ? t.fileTaken : t.fileNameHelp}</small>
        </label>
        <div className={shared.actions}>
          <button type="submit" className={look.primary} disabled={!isUsable}>
            {common.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
