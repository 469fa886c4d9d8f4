import { latest } from "./IndexedDocument.ts"

/**
 * ISO 8601 as Elasticsearch accepts it: a date, optionally with a time of any precision; a blank may replace the `T`.
 */
const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/** The minutes of `+hh:mm`, `+hhmm`, `+hh` or `Z`. */
export const offsetMinutes = (zone: string | undefined): number => {
  if (zone === undefined || zone === "Z") return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(":", "") || 0)
  return zone.startsWith("-") ? -minutes : minutes
}

/** Epoch milliseconds of a date text; undefined when it is not a date. The default zone is UTC. Years 0001 to 9999. */
export const instant = (text: string): number | undefined => {
  const found = text.length < 10 || text.length > 40 ? null : iso.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  if (year === 0 || month === 0 || month > 12 || day === 0 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const offset = offsetMinutes(found[8])
  if (Math.abs(offset) > 18 * 60) return undefined
  const millis = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, millis)
  return date.getTime() - offset * 60_000
}

const largest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Epoch milliseconds of a date in a document: a text, or a number of milliseconds. */
export const instantOf = (value: unknown): number | undefined => {
  if (typeof value === "string") return instant(value)
  return typeof value === "number" && Math.abs(value) <= largest ? Math.floor(value) : undefined
}

/** The position of a document with this `@timestamp` in the result order. */
export const placeOf = (timestamp: unknown): string => {
  const millis = instantOf(timestamp)
  return millis === undefined ? latest : String(millis)
}
