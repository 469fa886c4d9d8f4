import { useState } from "react"
import { answering } from "../app/gateway.ts"
import { useMounted } from "../app/mounted.ts"
import { toast } from "../app/toasts.ts"
import { messageOf } from "./Problem.tsx"

/** An action of a dialog: whether it is in progress, and why it failed. */
export interface Action {
  readonly act: () => void
  readonly isBusy: boolean
  readonly error: unknown
}

/**
 * The dialog may be closed while the action is under way, and then neither cancels it nor hides its failure.
 *
 * @param run performs the action and its consequences; if it needs a login, it is repeated after that
 * @param close closes the dialog, after the action
 */
export const useAction = (run: () => Promise<unknown>, close: () => void): Action => {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isOpen = useMounted()
  const act = () => {
    setBusy(true)
    setError(undefined)
    answering(run)
      .then(
        () => {
          // Otherwise the reader may have opened the next dialog in its place.
          if (isOpen.current) close()
        },
        (cause: unknown) => {
          setError(cause)
          if (!isOpen.current) toast(messageOf(cause))
        }
      )
      .finally(() => setBusy(false))
  }
  return { act, isBusy, error }
}
