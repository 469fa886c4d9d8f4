import { connectLight, GatewayError } from "@flow-gateway/client/light"
import { useEffect, useSyncExternalStore } from "react"
import { gatewayBase } from "./base.ts"
import { isBarred } from "./failure.ts"
import { askSession, isRefused, loggedIn, ofPage } from "./login.ts"
import { store } from "./store.ts"

export const gateway = connectLight(gatewayBase, { headers: ofPage })

/** Whether the gateway answers; a problem is an answer, too. `barred`: a proxy in front of it wants a login. */
type Connection = "answers" | "away" | "barred"

const connection = store<Connection>("answers")
let timer: ReturnType<typeof setTimeout> | undefined
let pause = 1000
const longestPause = 15_000

/**
 * Whether an error only means that the gateway cannot be reached, which the page shows anyway: no answer, or that of a
 * proxy which does not reach it or wants a login.
 */
export const isLost = (error: unknown): boolean =>
  error instanceof GatewayError &&
  !error.type &&
  (error.status === undefined || [502, 503, 504].includes(error.status) || isBarred(error))

/** A login at another site: a proxy leads there, and the browser forbids the page to follow. */
const isLedAway = (): Promise<boolean> =>
  fetch(`${gatewayBase}v1/platform/tenant`, { headers: ofPage, redirect: "manual" }).then(
    ({ type }) => type === "opaqueredirect",
    () => false
  )

const lose = async (error: unknown): Promise<void> => {
  const isOut = isBarred(error)
  if (connection.get() === "answers" || isOut) connection.set(isOut ? "barred" : "away")
  clearTimeout(timer)
  timer = setTimeout(probe, pause)
  const waiting = timer
  pause = Math.min(pause * 2, longestPause)
  if (isOut) return
  const isLed = await isLedAway()
  // The gateway may be back meanwhile.
  if (waiting === timer) connection.set(isLed ? "barred" : "away")
}

/**
 * Calls the gateway and notes whether it answers. While it does not, it is polled. A call that needs a login waits for
 * one, and is then repeated.
 */
export const answering = async <A>(call: () => Promise<A>): Promise<A> => {
  const found = () => {
    clearTimeout(timer)
    timer = undefined
    pause = 1000
    connection.set("answers")
  }
  try {
    const answer = await call()
    found()
    return answer
  } catch (error) {
    if (isLost(error)) void lose(error)
    else if (error instanceof GatewayError) {
      found()
      // A right was withdrawn: the session is read again, so that pages offer only what is still allowed.
      if (error.type === "/problems/forbidden") void askSession().catch(() => {})
      if (isRefused(error) && (await loggedIn())) return call()
    }
    throw error
  }
}

const probe = async (): Promise<void> => {
  await answering(() => gateway.platform.tenant()).catch(() => {})
}

/** Checks immediately whether the gateway answers; afterwards the connection is known. */
export const askNow = (): Promise<void> => {
  pause = 1000
  return probe()
}

addEventListener("online", askNow)
// Whoever has logged in at the proxy in another tab comes back to this one.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && connection.get() !== "answers") void askNow()
})

export const useConnection = (): Connection => useSyncExternalStore(connection.subscribe, connection.get)

export const useReachable = (): boolean => useConnection() === "answers"

/** Asks again when the gateway is back, if the error is that it was away. */
export const useReturn = (error: unknown, again: () => void): void => {
  const isReachable = useReachable()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it is back.
  useEffect(() => {
    if (isReachable && isLost(error)) again()
  }, [isReachable])
}
