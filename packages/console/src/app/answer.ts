import { type DependencyList, useCallback, useEffect, useRef, useState } from "react"
import { answering, useReturn } from "./gateway.ts"

/** The state of a question to the gateway. */
export interface Answer<A> {
  /** The last answer; it stays while the next one is loading. */
  readonly value: A | undefined
  /** Why there is no newer answer: a `GatewayError`, or a bug of the page. */
  readonly error: unknown
  readonly isLoading: boolean
  /** Asks again; the last answer stays until the new one arrives. */
  readonly again: () => void
}

/**
 * Milliseconds between two questions for a whole list: longer for a long one, so that it takes the gateway and the
 * network no more than a few percent of the time.
 *
 * @param least for a short list
 */
export const listPause =
  (least: number) =>
  (last: ReadonlyArray<unknown> | undefined): number =>
    Math.max(least, last?.length ?? 0)

const isSame = (one: DependencyList, other: DependencyList): boolean =>
  one.length === other.length && one.every((value, at) => Object.is(value, other[at]))

/**
 * Asks the gateway when the component is mounted, when a value of `on` changes, and when a gateway that was away is
 * back. An outdated question is aborted.
 *
 * @param ask undefined when there is nothing to ask yet
 * @param every milliseconds between an answer and the next question, while the page is visible; undefined: it is not asked
 *   again. A function of the last answer, if it depends on that
 */
export const useAnswer = <A>(
  ask: ((signal: AbortSignal) => Promise<A>) | undefined,
  on: DependencyList,
  every?: number | ((last: A | undefined) => number | undefined)
): Answer<A> => {
  // The last answer belongs to the former question, so a new question starts without one.
  const fresh = { of: on, value: undefined, error: undefined, isLoading: ask !== undefined }
  const [last, setState] = useState<Omit<Answer<A>, "again"> & { readonly of: DependencyList }>(fresh)
  const state = isSame(last.of, on) ? last : fresh
  const [round, setRound] = useState(0)
  const asked = useRef({ ask, every, value: state.value })
  asked.current = { ask, every, value: state.value }
  const again = useCallback(() => setRound((count) => count + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what the answer depends on.
  useEffect(() => {
    const { ask } = asked.current
    setState((before) => ({ ...(isSame(before.of, on) ? before : fresh), isLoading: ask !== undefined }))
    if (ask === undefined) return
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = (last = asked.current.value) => {
      const { every } = asked.current
      const pause = typeof every === "function" ? every(last) : every
      if (pause === undefined) return
      timer = setTimeout(() => {
        if (document.hidden) next(last)
        else again()
      }, pause)
    }
    answering(() => ask(ending.signal)).then(
      (value) => {
        if (ending.signal.aborted) return
        setState({ of: on, value, error: undefined, isLoading: false })
        next(value)
      },
      (error: unknown) => {
        if (ending.signal.aborted) return
        setState((before) => ({ ...before, error, isLoading: false }))
        next()
      }
    )
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [...on, round])

  useReturn(state.error, again)

  return { ...state, again }
}
