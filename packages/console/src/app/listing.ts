import { type DependencyList, useCallback, useEffect, useRef, useState } from "react"
import { ask } from "./ask.ts"
import { useReturn } from "./gateway.ts"

/** Entries per page. The gateway ends a page earlier when it would exceed 4 MiB. */
const pageSize = 5000
/** Number of entries after which loading pauses until the user asks for more. */
const listedAtOnce = 50_000

/** The address of the next page of a list, below the gateway. */
const nextOf = (link: string | null): string | undefined => {
  const found = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? "")?.[1]
  return found === undefined ? undefined : /\?.*$/.exec(found)?.[0]
}

/** A page of a list, and the query of the next one. */
const pageOf = <A>(path: string, query: string, signal: AbortSignal) =>
  ask(path + query, { signal }, async (response) => ({
    rows: (await response.json()) as ReadonlyArray<A>,
    next: nextOf(response.headers.get("link"))
  }))

/** A list of the gateway, as far as it has been loaded. */
export interface Listing<A> {
  /** Undefined until the first page is loaded. */
  readonly rows: ReadonlyArray<A> | undefined
  readonly isLoading: boolean
  readonly error: unknown
  /** Reloads the list; the present entries stay until then. */
  readonly again: () => void
  /** Loads further entries; undefined if there are none or loading has not paused. */
  readonly more: (() => void) | undefined
}

interface State<A> {
  readonly rows: ReadonlyArray<A> | undefined
  readonly isLoading: boolean
  readonly error: unknown
  readonly next: string | undefined
}

/**
 * Loads a list of the gateway page by page, and shows its beginning while the rest is loading. (The client would return
 * the whole list at once.) Reloads it when a value of `on` changes, and when a gateway that was away is back.
 *
 * @param path of the list below the gateway; undefined when there is nothing to load yet
 * @param query of the list, without `limit`
 * @param keep maps an entry to what is kept of it
 */
export const useListing = <A, B = A>(
  path: string | undefined,
  query: Readonly<Record<string, string>>,
  on: DependencyList,
  keep: (entry: A) => B
): Listing<B> => {
  const [state, setState] = useState<State<B>>({ rows: undefined, isLoading: true, error: undefined, next: undefined })
  const [round, setRound] = useState(0)
  const [most, setMost] = useState(listedAtOnce)
  const again = useCallback(() => setRound((count) => count + 1), [])
  const begin = `?${new URLSearchParams({ ...query, limit: String(pageSize) })}`
  const subject = `${path}${begin}`
  const shown = useRef("")
  const isOther = shown.current !== subject

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what else the list depends on.
  useEffect(() => {
    if (path === undefined) return
    const ending = new AbortController()
    const { signal } = ending
    const isNew = shown.current !== subject
    shown.current = subject
    setState((before) => (isNew ? { ...before, rows: undefined, isLoading: true } : { ...before, isLoading: true }))
    const read = async () => {
      let rows: ReadonlyArray<B> = []
      let next: string | undefined = begin
      while (next !== undefined && rows.length < most) {
        const asked: string = next
        const page = await pageOf<A>(path, asked, signal)
        rows = [...rows, ...page.rows.map(keep)]
        next = page.next
        if (signal.aborted) return
        if (isNew) setState({ rows, isLoading: true, error: undefined, next })
      }
      setState({ rows, isLoading: false, error: undefined, next })
    }
    read().catch((error: unknown) => {
      if (!signal.aborted) setState((before) => ({ ...before, isLoading: false, error }))
    })
    return () => ending.abort()
  }, [subject, most, round, ...on])

  useReturn(state.error, again)

  const { rows, isLoading, error, next } = state
  const more = next === undefined || isLoading ? undefined : () => setMost((before) => before + listedAtOnce)
  return isOther
    ? { rows: undefined, isLoading: true, error: undefined, again, more: undefined }
    : { rows, isLoading, error, again, more }
}
