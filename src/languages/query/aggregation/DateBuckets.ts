import { around, gapStart, instantsOf, type ZoneOffset } from "../Clock.ts"
import { aggregationLimits, type CalendarUnit, type DateHistogram } from "./Aggregation.ts"

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** The start of a unit of the calendar, for a clock whose fields are read as UTC. */
const floor = (clock: number, unit: CalendarUnit): number => {
  const date = new Date(clock)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (unit) {
    case "year":
      return Date.UTC(year, 0)
    case "quarter":
      return Date.UTC(year, month - (month % 3))
    case "month":
      return Date.UTC(year, month)
    case "week":
      // Weeks begin on Monday; the epoch was a Thursday.
      return Math.floor((clock + 3 * lengths.day) / (7 * lengths.day)) * 7 * lengths.day - 3 * lengths.day
    default:
      return Math.floor(clock / lengths[unit]) * lengths[unit]
  }
}

const next = (clock: number, unit: CalendarUnit): number => {
  const date = new Date(clock)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (unit) {
    case "year":
      return Date.UTC(year + 1, 0)
    case "quarter":
      return Date.UTC(year, month + 3)
    case "month":
      return Date.UTC(year, month + 1)
    case "week":
      return clock + 7 * lengths.day
    default:
      return clock + lengths[unit]
  }
}

/** While the clock of a zone is not changed for so long, its offset is asked for once. */
const steadyFor = lengths.day

/** The times of a clock, as {@link instantsOf}; when it was put forward over one, the time of that change. */
const startsOf = (clock: number, offset: ZoneOffset): ReadonlyArray<number> => {
  const found = instantsOf(clock, offset)
  return found.length === 0 ? [gapStart(clock, offset)] : found
}

/**
 * The starts of buckets of one length, which begin whenever the clock shows a multiple of it. Where the clock is put back,
 * a start comes twice; where it is put forward over one, the bucket begins with the change. As in Elasticsearch.
 */
const evenStarts = (
  length: number,
  offset: ZoneOffset,
  from: number,
  to: number
): ReadonlyArray<number> | undefined => {
  const most = aggregationLimits.groups
  if ((to - from) / length >= most) return undefined
  const found: Array<number> = []
  let [until, minutes] = [Number.NEGATIVE_INFINITY, 0]
  for (let clock = Math.floor((from + offset(from) * 60_000) / length) * length; ; clock += length) {
    if (clock >= until) {
      minutes = offset(clock - around)
      if (minutes === offset(clock + steadyFor + around)) until = clock + steadyFor
    }
    const times = clock < until ? [clock - minutes * 60_000] : startsOf(clock, offset)
    if (times[0]! > to) break
    found.push(...times)
  }
  const starts = [...new Set(found)].filter((start) => start <= to).sort((a, b) => a - b)
  const first = starts.findLastIndex((start) => start <= from)
  return starts.length - first > most ? undefined : starts.slice(Math.max(0, first))
}

/**
 * The starts of all buckets between two times in epoch milliseconds, both included, in order. Undefined when there are
 * more than may be. Buckets follow the clock of the zone, so that some are an hour longer or shorter than others.
 */
export const bucketStarts = (
  { interval, offset }: DateHistogram,
  from: number,
  to: number
): ReadonlyArray<number> | undefined => {
  if (interval._tag === "fixed") return evenStarts(interval.millis, offset, from, to)
  const { unit } = interval
  if (unit === "minute" || unit === "hour") return evenStarts(lengths[unit], offset, from, to)
  const starts: Array<number> = []
  for (let at = floor(from + offset(from) * 60_000, unit); ; at = next(at, unit)) {
    const [start = 0] = startsOf(at, offset)
    if (start > to) return starts
    if (starts.length === aggregationLimits.groups) return undefined
    starts.push(start)
  }
}
