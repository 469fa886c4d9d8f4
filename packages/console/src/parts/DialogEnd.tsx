import type { ReactNode } from "react"
import { common } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import { Problem } from "./Problem.tsx"
import css from "./pages.module.css"
import look from "./parts.module.css"

/** The end of a dialog with an action: the problem if it failed, a button to cancel, and the button of the action. */
export const DialogEnd = ({
  error,
  isBusy = false,
  close,
  children
}: {
  readonly error: unknown
  /** Whether the action is under way: it is not cancelled by closing the dialog. */
  readonly isBusy?: boolean
  readonly close: () => void
  readonly children: ReactNode
}) => (
  <>
    <Problem error={error} />
    <div className={css.actions}>
      <Button className={look.button} onPress={close}>
        {isBusy ? common.close : common.cancel}
      </Button>
      {children}
    </div>
  </>
)
