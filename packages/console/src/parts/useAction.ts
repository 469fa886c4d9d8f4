import { useEffect, useRef, useState } from "react"
import { answering } from "../app/gateway.ts"
import { toast } from "../app/toasts.ts"
import { messageOf } from "./Problem.tsx"

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
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const act = () => {
    setBusy(true)
    setError(undefined)
    answering(run)
      .catch((cause: unknown) => {
        setError(cause)
        // The dialog that would show it was closed meanwhile.
        if (!isOpen.current) toast(messageOf(cause))
      })
      .finally(() => setBusy(false))
  }
  return { act, isBusy, error }
}
