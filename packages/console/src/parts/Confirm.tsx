import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { DialogEnd } from "./DialogEnd.tsx"
import css from "./pages.module.css"
import { useAction } from "./useAction.ts"

/** Asks before something that cannot be taken back. It stays open, and says why, when that fails. */
export const Confirm = ({
  title,
  action,
  act: run,
  close,
  children
}: {
  readonly title: string
  /** What the button says: a verb. */
  readonly action: string
  readonly act: () => Promise<unknown>
  readonly close: () => void
  readonly children: ReactNode
}) => {
  const { act, isBusy, error } = useAction(() => run().then(close))
  return (
    <Dialog title={title} close={close}>
      {children}
      <DialogEnd error={error} close={close}>
        <Button className={css.danger} onPress={act} isDisabled={isBusy}>
          {action}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}
