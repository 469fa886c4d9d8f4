import { dayOf, dayOfWeek, dayOfYear, firstMillis, lastMillis, offsetMinutes, timeOf } from "./Calendar.ts"
import { formatReader, type Read, type ReadOptions, thousandths } from "./FormatReader.ts"

const instant = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:(Z|[+-]\d\d:?\d\d))?$/

/** Dates of a calendar, of a week (`2026-W01-1`) or of a year (`2026-032`), with a time or without. */
const extended =
  /^(\d{4})-(?:(\d\d)-(\d\d)|(\d{3})|W(\d\d)(?:-(\d))?)(?:(?:T| +)(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(?: *(Z|[+-]\d\d(?::?\d\d)?))?$/i
/** {@link extended} without separators. A date alone could be any number, so it needs a time. */
const basic =
  /^(\d{4})(?:(\d\d)(\d\d)|(\d{3})|W(\d\d)(\d)?)T(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

const iso: Read = (text, zone) => {
  const quick = instant.exec(text)
  if (quick !== null) {
    const [, year, month, day, hour, minute, second, fraction, offset] = quick
    const time = timeOf(+hour!, +minute!, +second!, fraction === undefined ? 0 : thousandths(fraction))
    const local = dayOf(+year!, +month!, +day!) + time
    if (offset === undefined) return Number.isNaN(local) ? local : zone(local)
    return offset === "Z" ? local : local - offsetMinutes(offset) * 60_000
  }
  const given = text.trim()
  const found = extended.exec(given) ?? basic.exec(given)
  if (found === null) return Number.NaN
  const [, year, month, day, ordinal, week, weekday, hour, minute, second, fraction, offset] = found
  const midnight =
    ordinal !== undefined
      ? dayOfYear(+year!, +ordinal)
      : week !== undefined
        ? dayOfWeek(+year!, +week, +(weekday ?? 1))
        : dayOf(+year!, +month!, +day!)
  const time = timeOf(+(hour ?? 0), +(minute ?? 0), +(second ?? 0), thousandths(fraction ?? "0"))
  const local = midnight + time
  if (Number.isNaN(local)) return local
  if (offset === undefined) return zone(local)
  return /z/i.test(offset) ? local : local - offsetMinutes(offset) * 60_000
}

/** Seconds, with any fraction. Milliseconds would be years beyond 9999, so they are left to `UNIX_MS`. */
const seconds: Read = (text) => {
  const found = /^([+-]?)(\d{1,12})(?:\.(\d+))?$/.exec(text.trim())
  if (found === null) return Number.NaN
  const millis = +found[2]! * 1000 + thousandths(found[3] ?? "0")
  return found[1] === "-" ? -millis : millis
}

const milliseconds: Read = (text) => {
  const found = /^([+-]?\d{1,15})(?:\.\d+)?$/.exec(text.trim())
  return found === null ? Number.NaN : +found[1]!
}

/** The seconds of TAI64 begin at 2^62 in 1970, when atomic time was ten seconds ahead. */
const tai64n: Read = (text) => {
  const found = /^@?4([0-9a-f]{15})([0-9a-f]{8})$/i.exec(text.trim())
  return found === null
    ? Number.NaN
    : (Number.parseInt(found[1]!, 16) - 10) * 1000 + Math.floor(Number.parseInt(found[2]!, 16) / 1_000_000)
}

const known: Readonly<Record<string, Read>> = {
  ISO8601: iso,
  UNIX: seconds,
  UNIX_MS: milliseconds,
  TAI64N: tai64n
}

/**
 * A reader for many texts of one format: `ISO8601`, `UNIX`, `UNIX_MS`, `TAI64N` or letters. Times are in the years 1 to
 * 9999. Throws a `FormatFault`.
 */
export const reader = (format: string, options: ReadOptions): Read => {
  const read = Object.hasOwn(known, format) ? known[format]! : formatReader(format, options)
  return (text, zone) => {
    const millis = read(text, zone)
    return millis >= firstMillis && millis <= lastMillis ? millis : Number.NaN
  }
}
