import { useState } from "react"
import { answering } from "../app/gateway.ts"

/** Something that a dialog does once: whether it is under way, and why it has failed. */
export interface Action {
  readonly act: () => void
  readonly isBusy: boolean
  readonly error: unknown
}

/** @param run does it, and what follows from it; where it needs a login, it is done after that */
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
