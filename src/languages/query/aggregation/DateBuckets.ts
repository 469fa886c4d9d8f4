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

/** When the clock of a zone is taken that buckets of an hour or less follow: changes of its time do not move them. */
const reference = Date.UTC(2020, 0)

/**
 * The starts of all buckets between two times in epoch milliseconds, both included, in order. Undefined when there are
 * more than may be. Buckets that are longer than an hour follow the clock of the zone, so that some are an hour longer
 * or shorter than others; the rest have the same length throughout.
 */
export const bucketStarts = (
  { interval, offset }: DateHistogram,
  from: number,
  to: number
): ReadonlyArray<number> | undefined => {
  const most = aggregationLimits.groups
  const unit = interval._tag === "calendar" ? interval.unit : undefined
  const length =
    interval._tag === "fixed" ? interval.millis : unit === "minute" || unit === "hour" ? lengths[unit] : undefined
  const starts: Array<number> = []
  if (length !== undefined && length <= lengths.hour) {
    const ahead = offset(reference) * 60_000
    const first = Math.floor((from + ahead) / length) * length - ahead
    if ((to - first) / length >= most) return undefined
    for (let start = first; start <= to; start += length) starts.push(start)
    return starts
  }
  const utc = (clock: number) => clock - offset(clock - offset(clock) * 60_000) * 60_000
  const clock = from + offset(from) * 60_000
  const step = (at: number) => (unit === undefined ? at + (length ?? 0) : next(at, unit))
  const begin = unit === undefined ? Math.floor(clock / (length ?? 1)) * (length ?? 1) : floor(clock, unit)
  for (let at = begin; ; at = step(at)) {
    const start = utc(at)
    if (start > to) return starts
    if (starts.length === most) return undefined
    starts.push(start)
  }
}
