import { type DependencyList, useCallback, useEffect, useRef, useState } from "react"
import { answering, isLost, useReachable } from "./gateway.ts"

/** What the gateway has answered so far. */
export interface Answer<A> {
  /** The last answer, also while the next one is on its way. */
  readonly value: A | undefined
  /** Why there is no newer answer: a `GatewayError`, or a fault of the page. */
  readonly error: unknown
  readonly isLoading: boolean
  /** Asks once more, and keeps what is shown until then. */
  readonly again: () => void
}

/**
 * Asks the gateway when the page is shown and when something of `on` changes, and again when a gateway that was away is
 * back. A question that is no longer of interest is ended.
 *
 * @param ask undefined when there is nothing to ask yet
 * @param every milliseconds between an answer and the next question, while the page is seen
 */
export const useAnswer = <A>(
  ask: ((signal: AbortSignal) => Promise<A>) | undefined,
  on: DependencyList,
  every?: number
): Answer<A> => {
  const [state, setState] = useState<Omit<Answer<A>, "again">>({
    value: undefined,
    error: undefined,
    isLoading: ask !== undefined
  })
  const [round, setRound] = useState(0)
  const isReachable = useReachable()
  const asked = useRef(ask)
  asked.current = ask
  const again = useCallback(() => setRound((count) => count + 1), [])

  // What is shown belongs to what was asked: another thing begins empty.
  const subject = useRef(on)
  const isOther = on.length !== subject.current.length || on.some((one, at) => !Object.is(one, subject.current[at]))
  if (isOther) subject.current = on

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what the answer depends on.
  useEffect(() => {
    const { current } = asked
    if (current === undefined) {
      setState({ value: undefined, error: undefined, isLoading: false })
      return
    }
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = () => {
      if (every === undefined || ending.signal.aborted) return
      timer = setTimeout(() => {
        if (document.hidden) next()
        else again()
      }, every)
    }
    setState((before) => ({ ...before, isLoading: true }))
    answering(() => current(ending.signal))
      .then(
        (value) => {
          if (!ending.signal.aborted) setState({ value, error: undefined, isLoading: false })
        },
        (error: unknown) => {
          if (!ending.signal.aborted) setState((before) => ({ ...before, error, isLoading: false }))
        }
      )
      .finally(next)
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [...on, round, every])

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when a lost gateway is back.
  useEffect(() => {
    if (isReachable && isLost(state.error)) again()
  }, [isReachable])

  return { ...(isOther ? { value: undefined, error: undefined, isLoading: true } : state), again }
}
