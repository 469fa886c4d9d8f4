import { useState } from "react"
import { answering } from "../app/gateway.ts"

/** An action of a dialog: whether it is in progress, and why it failed. */
export interface Action {
  readonly act: () => void
  readonly isBusy: boolean
  readonly error: unknown
}

/** @param run performs the action and its consequences; if it needs a login, it is repeated after that */
export const useAction = (run: () => Promise<unknown>): Action => {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const act = () => {
    setBusy(true)
    setError(undefined)
    answering(run)
      .catch(setError)
      .finally(() => setBusy(false))
  }
  return { act, isBusy, error }
}
