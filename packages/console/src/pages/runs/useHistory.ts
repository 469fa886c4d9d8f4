import { useEffect, useRef, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway, useReturn } from "../../app/gateway.ts"
import { merged, reaches } from "./merged.ts"
import type { Execution } from "./models.ts"

/** The filter of a list of runs; times are epoch milliseconds. */
export interface Filter {
  readonly state?: Execution["state"]
  readonly outcome?: NonNullable<Execution["outcome"]>
  readonly flowline?: string
  readonly from?: number
  readonly to?: number
}

const pageRuns = 200
/** Polling interval of the newest runs in milliseconds. */
const every = 2000

/** The runs of a tenant, newest first: the newest are updated live, older ones are loaded on request. */
export const useHistory = (tenant: string, filter: Filter) => {
  const [runs, setRuns] = useState<ReadonlyArray<Execution>>()
  const [isAll, setAll] = useState(false)
  const [error, setError] = useState<unknown>()
  const isBusy = useRef(false)
  const { state, outcome, flowline, from, to } = filter
  const on = [tenant, state, outcome, flowline, from, to]
  const ask = (more: Filter, signal?: AbortSignal) =>
    gateway.executions.list(
      { params: { tenant }, query: { ...filter, ...more, order: "newest", limit: pageRuns } },
      signal === undefined ? {} : { signal }
    )
  const answer = useAnswer(tenant === "" ? undefined : (signal) => ask({}, signal), on, every)

  const key = JSON.stringify(on)
  const shown = useRef(key)
  if (shown.current !== key) {
    shown.current = key
    setRuns(undefined)
    setAll(false)
    setError(undefined)
  }
  const { value } = answer
  const latest = useRef(runs)
  latest.current = runs
  useEffect(() => {
    if (value === undefined) return
    const isWhole = value.length < pageRuns
    setRuns((before = []) => merged(before, value, isWhole))
    setAll((was) => isWhole || (was && reaches(value, latest.current ?? [])))
  }, [value])

  /** Loads the runs before the oldest loaded one. */
  const more = () => {
    const last = runs?.at(-1)
    if (isAll || isBusy.current || runs === undefined || last === undefined || runs.length < pageRuns) return
    isBusy.current = true
    const asked = shown.current
    // Others may have started within the same millisecond.
    answering(() => ask({ to: Date.parse(last.createdAt) + 1 })).then(
      (older) => {
        isBusy.current = false
        if (shown.current !== asked) return
        const known = new Set(runs.map(({ id }) => id))
        const added = older.filter(({ id }) => !known.has(id))
        setError(undefined)
        // A list that has begun anew meanwhile ends elsewhere.
        if (latest.current?.at(-1)?.id !== last.id) return
        if (added.length === 0 || older.length < pageRuns) setAll(true)
        setRuns((before = []) =>
          before.at(-1)?.id === last.id
            ? [...before, ...added.filter(({ id }) => !before.some((one) => one.id === id))]
            : before
        )
      },
      (cause: unknown) => {
        isBusy.current = false
        if (shown.current === asked) setError(cause)
      }
    )
  }
  useReturn(error, more)
  const again = () => {
    answer.again()
    if (error !== undefined) more()
  }
  return { runs, isAll, more, error: answer.error ?? error, again }
}
