import { type ReactNode, useEffect, useId, useRef } from "react"
import { common } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import { notedFocus } from "./focus.ts"
import css from "./parts.module.css"

const fields = ":is(input, select, textarea):enabled:not([type=file], [readonly], [type=radio]:not(:checked))"

/**
 * A native modal dialog: it keeps the focus, closes on Escape, and restores the focus. The focus begins at the first
 * field; the browser would begin at the button that closes the dialog.
 */
export const Dialog = ({
  title,
  close,
  children
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const giveFocusBack = notedFocus()
    if (dialog?.open === false) {
      dialog.showModal()
      dialog.querySelector<HTMLElement>(fields)?.focus()
    }
    return giveFocusBack
  }, [])
  return (
    <dialog
      ref={ref}
      className={css.dialog}
      aria-labelledby={id}
      onClose={close}
      onCancel={(event) => {
        // A cancelled file chooser inside the dialog fires this event too.
        if (event.target !== event.currentTarget || !event.cancelable) return
        // If the browser closed it, the event would arrive a moment later, when the reader may have opened the dialog
        // again.
        event.preventDefault()
        close()
      }}
    >
      <div className={css.dialogHead}>
        <h2 id={id}>{title}</h2>
        <Button className={css.close} aria-label={common.close} onPress={close}>
          ×
        </Button>
      </div>
      <div className={css.dialogBody}>{children}</div>
    </dialog>
  )
}
