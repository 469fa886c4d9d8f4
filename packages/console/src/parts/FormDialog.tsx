import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { DialogEnd } from "./DialogEnd.tsx"
import css from "./pages.module.css"
import look from "./parts.module.css"
import { useAction } from "./useAction.ts"

/** A form for an action. If the action fails, the input stays and the dialog shows the problem. */
export const FormDialog = ({
  title,
  action,
  isReady = true,
  act: run,
  close,
  children
}: {
  readonly title: string
  /** The label of the button: a verb. */
  readonly action: string
  /** Whether the input is complete. */
  readonly isReady?: boolean
  /** Performs the action. The dialog closes after it. */
  readonly act: () => Promise<void>
  readonly close: () => void
  readonly children: ReactNode
}) => {
  const { act, isBusy, error } = useAction(run, close)
  return (
    <Dialog title={title} close={close}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          act()
        }}
      >
        {children}
        <DialogEnd error={error} isBusy={isBusy} close={close}>
          <Button type="submit" className={look.primary} isDisabled={isBusy || !isReady}>
            {action}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  )
}
