import { useEffect, useState } from "react"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { copy } from "../../parts/copy.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { download } from "../../parts/download.ts"
import { FileButton } from "../../parts/FileButton.tsx"
import parts from "../../parts/parts.module.css"
import { tester } from "../../texts/en.ts"
import { type Draft, longestDraft } from "./Draft.ts"
import { fragmentOf } from "./Fragment.ts"
import { fileText, readFile } from "./files.ts"
import css from "./tester.module.css"

const t = tester.shareDialog

/** A link or file that contains the whole draft. */
const ShareDialog = ({
  draft,
  open,
  close
}: {
  readonly draft: Draft
  readonly open: (draft: Draft) => void
  readonly close: () => void
}) => {
  const [link, setLink] = useState<string>()
  const [isTooLarge, setTooLarge] = useState(false)
  useEffect(() => {
    void fragmentOf(draft).then((fragment) => {
      setTooLarge(fragment === undefined)
      setLink(fragment === undefined ? undefined : location.href.replace(/#.*$/, "") + fragment)
    })
  }, [draft])
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > 4 * longestDraft) {
      toast(t.largeFile)
      return
    }
    const found = await readFile(file)
    if (typeof found === "string") toast(t.badFile)
    else {
      open(found)
      close()
    }
  }
  return (
    <Dialog title={t.title} close={close}>
      <p className={css.help}>{isTooLarge ? t.tooLarge : t.linkHolds}</p>
      <div className={css.buttons}>
        <Button
          className={parts.primary}
          isDisabled={link === undefined}
          onPress={async () => {
            if (link !== undefined && (await copy(link))) toast(t.linkCopied)
          }}
        >
          {t.link}
        </Button>
        <Button
          className={parts.button}
          onPress={() => download("flow-test.json", fileText(draft), "application/json")}
        >
          {t.save}
        </Button>
        <FileButton accept=".json" onFiles={([file]) => void take(file)}>
          {t.open}
        </FileButton>
      </div>
      {link === undefined ? null : <input className={css.link} readOnly value={link} aria-label={t.link} />}
    </Dialog>
  )
}

export default ShareDialog
