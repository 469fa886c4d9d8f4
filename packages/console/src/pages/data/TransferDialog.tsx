import { useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { go, staying } from "../../app/location.ts"
import { toast } from "../../app/toasts.ts"
import { FormDialog } from "../../parts/FormDialog.tsx"
import pages from "../../parts/pages.module.css"
import { visible } from "../../parts/values.ts"
import { data } from "../../texts/en.ts"
import { changed } from "./changes.ts"
import { VersionsChoice } from "./Detail.tsx"

const t = data.resources

/** Copies or moves a stored resource: one version or all of them. */
const TransferDialog = ({
  tenant,
  name,
  how,
  version: shown,
  only,
  to,
  close
}: {
  readonly tenant: string
  readonly name: string
  readonly how: "copy" | "move"
  /** The shown version. */
  readonly version: number
  /** Whether it is the only version. */
  readonly only: boolean
  readonly to: (path: ReadonlyArray<string>) => string
  readonly close: () => void
}) => {
  // An answer to an earlier action may show another version meanwhile.
  const [version] = useState(shown)
  const [destination, setDestination] = useState(name)
  const [all, setAll] = useState(true)
  const transfer = async () => {
    const payload = new FormData()
    payload.set("destination", destination)
    if (!all) payload.set("version", String(version))
    const isHere = staying()
    await answering(() => gateway.stored[how]({ params: { tenant, name }, payload }))
    toast((how === "copy" ? t.copied : t.moved)(visible(destination)))
    if (isHere()) go(to(destination.split("/")))
    changed()
  }
  return (
    <FormDialog
      title={(how === "copy" ? t.copyTitle : t.moveTitle)(visible(name))}
      action={how === "copy" ? t.copy : t.move}
      isReady={destination !== ""}
      act={transfer}
      close={close}
    >
      <label className={pages.field}>
        {t.destination}
        <input
          value={destination}
          onChange={({ target }) => setDestination(target.value)}
          required
          spellCheck={false}
        />
      </label>
      {only ? null : <VersionsChoice label={t.which} version={version} all={all} setAll={setAll} />}
    </FormDialog>
  )
}

export default TransferDialog
