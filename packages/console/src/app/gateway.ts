import { connectLight, GatewayError } from "@flow-gateway/client/light"
import { useSyncExternalStore } from "react"
import { gatewayBase } from "./base.ts"
import { askSession, isRefused, loggedIn, ofPage } from "./login.ts"

export const gateway = connectLight(gatewayBase, { headers: ofPage })

/** Whether the gateway answers: any answer counts, a problem too. */
let isReachable = true
let timer: ReturnType<typeof setTimeout> | undefined
let pause = 1000
const longestPause = 15_000
const listeners = new Set<() => void>()

const tell = (value: boolean): void => {
  if (isReachable === value) return
  isReachable = value
  for (const listener of listeners) listener()
}

/** A proxy answers these in place of a gateway that is away. */
const isAway = (error: unknown): boolean =>
  error instanceof GatewayError && (error.status === undefined || [502, 504].includes(error.status)) && !error.type

const again = (): void => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    void answering(() => gateway.platform.tenant()).catch(() => {})
  }, pause)
  pause = Math.min(pause * 2, longestPause)
}

/**
 * Calls the gateway and notes whether it answers. While it does not, it is asked again and again. A call that needs a
 * login waits for one, and is made again after it.
 */
export const answering = async <A>(call: () => Promise<A>): Promise<A> => {
  const found = () => {
    clearTimeout(timer)
    pause = 1000
    tell(true)
  }
  try {
    const answer = await call()
    found()
    return answer
  } catch (error) {
    if (isAway(error)) {
      tell(false)
      again()
    } else if (error instanceof GatewayError) {
      found()
      // A right was taken away: pages offer what is left.
      if (error.type === "/problems/forbidden") void askSession().catch(() => {})
      if (isRefused(error) && (await loggedIn())) return call()
    }
    throw error
  }
}

/** Whether an error only says that the gateway is away, which the page says by itself. */
export const isLost = isAway

/** Asks at once whether the gateway is back. */
export const askNow = (): void => {
  pause = 1000
  void answering(() => gateway.platform.tenant()).catch(() => {})
}

addEventListener("online", askNow)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => isReachable)
