import { useState } from "react"
import { useMounted } from "../app/mounted.ts"
import { toast } from "../app/toasts.ts"

/**
 * What the gateway tells once only, such as a new key: it is shown until its reader closes it, and one that is there later
 * waits for that.
 *
 * @param unseen tells that one could not be shown, as its page was left
 */
export const useToldOnce = <A extends { readonly name: string }>(unseen: (name: string) => string) => {
  const isMounted = useMounted()
  const [[shown], setWaiting] = useState<ReadonlyArray<A>>([])
  return {
    shown,
    show: (told: A) => {
      if (isMounted.current) setWaiting((before) => [...before, told])
      else toast(unseen(told.name))
    },
    close: () => setWaiting(([, ...later]) => later)
  }
}
