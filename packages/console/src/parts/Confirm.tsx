import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { DialogEnd } from "./DialogEnd.tsx"
import css from "./pages.module.css"
import { useAction } from "./useAction.ts"

/** Asks before an action that cannot be undone. If it fails, the dialog stays open and shows the problem. */
export const Confirm = ({
  title,
  action,
  act: run,
  close,
  children
}: {
  readonly title: string
  /** The label of the button: a verb. */
  readonly action: string
  readonly act: () => Promise<unknown>
  readonly close: () => void
  readonly children: ReactNode
}) => {
  const { act, isBusy, error } = useAction(run, close)
  return (
    <Dialog title={title} close={close}>
      {children}
      <DialogEnd error={error} isBusy={isBusy} close={close}>
        <Button className={css.danger} onPress={act} isDisabled={isBusy}>
          {action}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}
