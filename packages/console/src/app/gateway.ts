import { connectLight, GatewayError } from "@flow-gateway/client/light"
import { useSyncExternalStore } from "react"
import { gatewayBase } from "./base.ts"
import { askSession, isRefused, loggedIn, ofPage } from "./login.ts"
import { store } from "./store.ts"

export const gateway = connectLight(gatewayBase, { headers: ofPage })

/** Whether the gateway answers: any answer counts, a problem too. */
const reachable = store(true)
let timer: ReturnType<typeof setTimeout> | undefined
let pause = 1000
const longestPause = 15_000

/** Whether an error only means that the gateway is away, which the page shows anyway: no answer, or that of a proxy. */
export const isLost = (error: unknown): boolean =>
  error instanceof GatewayError && (error.status === undefined || [502, 504].includes(error.status)) && !error.type

const again = (): void => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    void answering(() => gateway.platform.tenant()).catch(() => {})
  }, pause)
  pause = Math.min(pause * 2, longestPause)
}

/**
 * Calls the gateway and notes whether it answers. While it does not, it is polled. A call that needs a login waits for
 * one, and is then repeated.
 */
export const answering = async <A>(call: () => Promise<A>): Promise<A> => {
  const found = () => {
    clearTimeout(timer)
    pause = 1000
    reachable.set(true)
  }
  try {
    const answer = await call()
    found()
    return answer
  } catch (error) {
    if (isLost(error)) {
      reachable.set(false)
      again()
    } else if (error instanceof GatewayError) {
      found()
      // A right was withdrawn: the session is read again, so that pages offer only what is still allowed.
      if (error.type === "/problems/forbidden") void askSession().catch(() => {})
      if (isRefused(error) && (await loggedIn())) return call()
    }
    throw error
  }
}

/** Checks immediately whether the gateway is back. */
export const askNow = (): void => {
  pause = 1000
  void answering(() => gateway.platform.tenant()).catch(() => {})
}

addEventListener("online", askNow)

export const useReachable = (): boolean => useSyncExternalStore(reachable.subscribe, reachable.get)
