import { type Index, patternOf, selected } from "./Request.ts"
import type { State } from "./State.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const units: Readonly<Record<string, number>> = {
  ...{ s: second, m: minute, h: hour, H: hour, d: day, w: 7 * day },
  ...{ M: 30 * day, y: 365 * day }
}

/** The approximate time of a range's limit in epoch milliseconds; undefined if only the gateway can tell. */
export const momentOf = (limit: string, now: number): number | undefined => {
  const relative = /^now(?:-(\d{1,6})([smhHdwMy]))?$/.exec(limit)
  if (relative !== null) return now - Number(relative[1] ?? 0) * (units[relative[2] ?? "s"] ?? 0)
  const found = Date.parse(limit)
  return Number.isNaN(found) ? undefined : found
}

/** A range of time in epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The time range of a search. A missing limit is replaced by that of its indices. */
export const spanOf = (tenant: string, state: State, indices: ReadonlyArray<Index>, now: number): Span | undefined => {
  const chosen = selected(patternOf(tenant, state), indices)
  const known = (limits: ReadonlyArray<string | null>) =>
    limits.flatMap((limit) => (limit === null || Number.isNaN(Date.parse(limit)) ? [] : [Date.parse(limit)]))
  const firsts = known(chosen.map(({ from }) => from))
  const lasts = known(chosen.map(({ to }) => to))
  const from = momentOf(state.from, now) ?? (firsts.length === 0 ? undefined : Math.min(...firsts))
  const to =
    momentOf(state.to, now) ?? (state.from.startsWith("now") ? now : lasts.length === 0 ? now : Math.max(...lasts) + 1)
  return from === undefined || to <= from ? undefined : { from, to }
}

/** The interval of a histogram, as the gateway accepts it, and its length. */
export interface Interval {
  readonly given: Readonly<Record<string, string>>
  readonly ms: number
}

const fixed = (given: string, ms: number): Interval => ({ given: { fixed_interval: given }, ms })
const calendar = (given: string, ms: number): Interval => ({ given: { calendar_interval: given }, ms })

const intervals: ReadonlyArray<Interval> = [
  ...[fixed("10ms", 10), fixed("100ms", 100), fixed("1s", second), fixed("5s", 5 * second), fixed("10s", 10 * second)],
  ...[fixed("30s", 30 * second), fixed("1m", minute), fixed("5m", 5 * minute), fixed("10m", 10 * minute)],
  ...[fixed("30m", 30 * minute), fixed("1h", hour), fixed("3h", 3 * hour), fixed("12h", 12 * hour)],
  ...[calendar("day", day), calendar("week", 7 * day), calendar("month", 30 * day), calendar("year", 365 * day)]
]

const mostBars = 80

/** The shortest interval that does not yield too many bars. */
export const intervalOf = ({ from, to }: Span): Interval =>
  intervals.find(({ ms }) => (to - from) / ms <= mostBars) ?? intervals.at(-1)!

export interface Bars {
  readonly times: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
}

/** The bars of the gateway's answer, with empty ones added up to the ends of the range. */
export const barsOf = (aggregation: unknown, { from, to }: Span, { ms }: Interval): Bars => {
  const buckets =
    (Object(aggregation) as { readonly buckets?: ReadonlyArray<{ readonly key: number; readonly doc_count: number }> })
      .buckets ?? []
  const first = buckets[0]?.key ?? Math.floor(from / ms) * ms
  const last = buckets.at(-1)?.key ?? first - ms
  const before: Array<number> = []
  for (let at = first - ms; at + ms > from && before.length < 2 * mostBars; at -= ms) before.unshift(at)
  const after: Array<number> = []
  for (let at = last + ms; at < to && after.length < 2 * mostBars; at += ms) after.push(at)
  return {
    times: [...before, ...buckets.map(({ key }) => key), ...after],
    counts: [...before.map(() => 0), ...buckets.map(({ doc_count }) => doc_count), ...after.map(() => 0)]
  }
}

/** A time as a value of `<input type="datetime-local">`, in the reader's zone. */
export const localText = (ms: number): string => {
  const at = new Date(ms)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
