import { type ReactNode, useEffect, useId, useRef } from "react"
import { common } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import { giveFocusBack } from "./focus.ts"
import css from "./parts.module.css"

/** A native modal dialog: it keeps the focus, closes on Escape, and restores the focus. */
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
    const opener = document.activeElement
    if (dialog?.open === false) dialog.showModal()
    return () => giveFocusBack(opener)
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
