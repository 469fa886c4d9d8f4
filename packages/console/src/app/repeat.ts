import { useRef } from "react"

/** The options of a request that starts something. */
interface Once {
  readonly headers: { readonly "idempotency-key": string }
}

/**
 * Gives the options of a request that is to start something once: as long as the same is asked for, they have the same
 * key. So a request that its reader repeats after a lost answer starts nothing again.
 *
 * @returns is called with all that the request has
 */
export const useOnce = (): ((asked: unknown) => Once) => {
  const sent = useRef({ what: "", key: "" })
  return (asked) => {
    const what = JSON.stringify(asked)
    if (sent.current.what !== what) sent.current = { what, key: crypto.getRandomValues(new Uint32Array(4)).join("-") }
    return { headers: { "idempotency-key": sent.current.key } }
  }
}
