import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { exactGateway } from "../../app/exact.ts"
import { answering, useReturn } from "../../app/gateway.ts"
import { type Found, type Page, QueryFault, requestOf } from "./Request.ts"
import type { State } from "./State.ts"
import { type Interval, intervalOf, type Span } from "./Times.ts"

interface First {
  readonly page: Page
  readonly span: Span | undefined
  readonly interval: Interval | undefined
}

export interface Results {
  /** The results of the present search, or of the previous one while the present one is loading. */
  readonly documents: ReadonlyArray<Found>
  readonly first: First | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Whether there are more documents. */
  readonly hasMore: boolean
  readonly more: () => void
  /** Searches anew. */
  readonly again: () => void
  /** Loads the further documents that could not be loaded, if that is what has failed. */
  readonly retry: (() => void) | undefined
}

const none: ReadonlyArray<Found> = []

/**
 * The documents of a search, page by page, with their count and histogram.
 *
 * @param spanNow returns the time range of the search at the time of the call
 */
export const useResults = (
  tenant: string,
  state: State,
  zone: string,
  spanNow: (() => Span | undefined) | undefined
): Results => {
  const { request, fault } = useMemo(() => {
    try {
      return { request: requestOf(tenant, state, zone) }
    } catch (cause) {
      return { fault: cause instanceof QueryFault ? cause : new QueryFault(String(cause), 0) }
    }
  }, [tenant, state, zone])
  const key = request === undefined ? "" : JSON.stringify(request)
  const { value, error, isLoading, again } = useAnswer(
    tenant === "" || request === undefined || spanNow === undefined
      ? undefined
      : async (signal): Promise<First> => {
          const span = spanNow()
          const interval = span === undefined ? undefined : intervalOf(span)
          const histogram = { date_histogram: { field: "@timestamp", ...interval?.given, time_zone: zone } }
          const page = await exactGateway.search.search(
            {
              params: { tenant },
              payload: { ...request, total: true, ...(interval === undefined ? {} : { aggs: { times: histogram } }) }
            },
            { signal }
          )
          return { page, span, interval }
        },
    [tenant, key, spanNow === undefined]
  )
  const [rest, setRest] = useState<{
    readonly of: First
    readonly documents: ReadonlyArray<Found>
    readonly cursor?: string | undefined
  }>()
  const [moreError, setMoreError] = useState<unknown>()
  const isBusy = useRef(false)
  const shown = useRef<First>(undefined)
  if (value !== undefined) shown.current = value
  const first = fault === undefined ? (value ?? shown.current) : undefined
  const following = rest !== undefined && rest.of === first ? rest : undefined
  const documents = useMemo(
    () => (first === undefined ? none : [...first.page.documents, ...(following?.documents ?? [])]),
    [first, following]
  )
  const cursor = following === undefined ? first?.page.cursor : following.cursor
  const ending = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search ends the pages of the one before.
  useEffect(
    () => () => {
      ending.current?.abort()
      isBusy.current = false
      setMoreError(undefined)
    },
    [key]
  )

  const more = useCallback(() => {
    if (value === undefined || request === undefined || cursor === undefined || isBusy.current) return
    isBusy.current = true
    const stop = new AbortController()
    ending.current = stop
    answering(() =>
      exactGateway.search.search({ params: { tenant }, payload: { ...request, cursor } }, { signal: stop.signal })
    )
      .then(
        (page) => {
          if (stop.signal.aborted) return
          setMoreError(undefined)
          setRest((before) => ({
            of: value,
            documents: [...(before?.of === value ? before.documents : []), ...page.documents],
            cursor: page.cursor
          }))
        },
        (cause: unknown) => {
          if (!stop.signal.aborted) setMoreError(cause)
        }
      )
      .finally(() => {
        if (ending.current === stop) isBusy.current = false
      })
  }, [tenant, request, value, cursor])

  useReturn(moreError, more)

  return {
    documents,
    first,
    error: fault ?? error ?? moreError,
    isLoading: isLoading && request !== undefined,
    hasMore: cursor !== undefined,
    more,
    again: () => {
      setMoreError(undefined)
      again()
    },
    retry: fault === undefined && error === undefined && moreError !== undefined ? more : undefined
  }
}
