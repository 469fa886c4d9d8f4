import { BoundedMap } from "../BoundedMap.ts"
import { around, gapStart, instantsOf, steady, type ZoneOffset } from "./Clock.ts"
import { instant, offsetMinutes } from "./Instant.ts"

/** How the dates of a query are interpreted. */
export interface DateReading {
  /** Epoch milliseconds of `now`. */
  readonly now: number
  /** The offset of the query's time zone. */
  readonly offset: ZoneOffset
  /** Formats by name or pattern; empty for ISO 8601 and milliseconds. */
  readonly formats: ReadonlyArray<string>
  /** Counts an operation of date math; false when there are too many. Absent: there may be any number. */
  readonly step?: () => boolean
}

type Unit = "y" | "M" | "w" | "d" | "h" | "m" | "s"

const lengths = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const

/** Adds to a date whose fields are read as UTC. The day is limited to the length of the month. */
const add = (millis: number, amount: number, unit: Unit): number => {
  if (unit !== "y" && unit !== "M") return millis + amount * lengths[unit]
  const date = new Date(millis)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount * (unit === "y" ? 12 : 1)
  const last = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), last)
  return Date.UTC(Math.floor(month / 12), month % 12, day) + (millis - Math.floor(millis / lengths.d) * lengths.d)
}

const floor = (millis: number, unit: Unit): number => {
  const date = new Date(millis)
  if (unit === "y") return Date.UTC(date.getUTCFullYear(), 0)
  if (unit === "M") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  // Weeks begin on Monday; the epoch was a Thursday.
  const shift = unit === "w" ? 3 * lengths.d : 0
  return Math.floor((millis + shift) / lengths[unit]) * lengths[unit] - shift
}

const partial =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?)?)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/
const units: ReadonlyArray<Unit> = ["y", "M", "d", "h", "m", "s"]

/** A date in local time as written, and its smallest given unit. */
interface Written {
  readonly millis: number
  readonly unit: Unit | "ms"
  readonly zone: string | undefined
}

const isoDate = (text: string): Written | undefined => {
  const found = partial.exec(text)
  if (found === null) return undefined
  const given = found.slice(1, 7).filter((part) => part !== undefined).length
  const [date = "", time = ""] = text.slice(0, text.length - (found[7] ?? "").length).split(/[T ]/)
  const whole = `${date}${"-01".repeat(Math.max(0, 3 - given))}${time === "" ? "" : `T${time}`}`
  const millis = instant(whole)
  if (millis === undefined) return undefined
  return { millis, unit: /[.,]/.test(time) ? "ms" : (units[given - 1] ?? "ms"), zone: found[7] }
}

const letters: Readonly<Record<string, string>> = {
  yyyy: "(?<y>\\d{4})",
  uuuu: "(?<y>\\d{4})",
  MM: "(?<M>\\d\\d)",
  dd: "(?<d>\\d\\d)",
  HH: "(?<h>\\d\\d)",
  mm: "(?<m>\\d\\d)",
  ss: "(?<s>\\d\\d)",
  XXX: "(?<zone>Z|[+-]\\d\\d:\\d\\d)"
}
const named = new Set(["strict_date_optional_time", "date_optional_time", "iso8601", "strict_date_optional_time_nanos"])

/** Whether a format is a pattern. */
export const isPattern = (format: string): boolean => !named.has(format) && !format.startsWith("epoch_")

/** The parts of a pattern, without the characters between them. A fraction has one to nine digits. */
export const patternParts = /yyyy|uuuu|MM|dd|HH|mm|ss|S{1,9}(?!S)|XXX|'[^']*'/g

/** Whether a format is known: a name, or a pattern of `yyyy MM dd HH mm ss SSS XXX` with characters between them. */
export const isFormat = (format: string): boolean =>
  named.has(format) ||
  format === "epoch_millis" ||
  format === "epoch_second" ||
  (/yyyy|uuuu/.test(format) && !/[A-Za-z]/.test(format.replace(patternParts, "")))

/** A part of a pattern that is there twice, so that a date cannot be read by it. */
export const repeatedPart = (format: string): string | undefined => {
  const parts = (isPattern(format) ? (format.match(patternParts) ?? []) : []).filter((part) => !part.startsWith("'"))
  const kinds = parts.map((part) => (part === "uuuu" ? "y" : (part[0] ?? "")))
  return parts.find((_, at) => kinds.indexOf(kinds[at] ?? "") < at)
}

const anyPart = new RegExp(`${patternParts.source}|[^A-Za-z]`, "g")

const byPattern = (text: string, format: string): Written | undefined => {
  const expression = format.replace(anyPart, (part) => {
    const known = part.startsWith("S") ? `(?<ms>\\d{${part.length}})` : letters[part]
    return known ?? (part.length > 1 ? part.slice(1, -1) : part).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  })
  const found = new RegExp(`^${expression}$`).exec(text)?.groups
  if (found === undefined) return undefined
  const { y, M = "01", d = "01", h = "00", m = "00", s = "00", ms = "000", zone } = found
  const millis = instant(`${y}-${M}-${d}T${h}:${m}:${s}.${ms}`)
  const smallest = (["ms", "s", "m", "h", "d", "M", "y"] as const).find((unit) => found[unit] !== undefined) ?? "y"
  return millis === undefined ? undefined : { millis, unit: smallest, zone }
}

const read = (text: string, format: string): Written | undefined => {
  if (format === "epoch_millis" || format === "epoch_second") {
    if (!/^-?\d{1,15}$/.test(text)) return undefined
    const isSecond = format === "epoch_second"
    return { millis: Number(text) * (isSecond ? 1000 : 1), unit: isSecond ? "s" : "ms", zone: "Z" }
  }
  return named.has(format) ? isoDate(text) : byPattern(text, format)
}

const operation = /([+-]\d{0,9}|\/)([yMwdhHms])/y

/** Units of the calendar, which follow the clock of the zone: a day may have 23 hours. The others are fixed durations. */
const isCalendar = (unit: Unit): unit is "y" | "M" | "w" | "d" => !/[hms]/.test(unit)

/** Whether the time is within the range of dates, minus some days. */
const isTime = (millis: number): boolean => Math.abs(millis) <= 8.6e15

/**
 * Epoch milliseconds of a date or of date math: `now-1d/d`, `2026-01-01||+1M/d`. With `last`, a rounded or incomplete
 * date gives its last millisecond, otherwise its first. Undefined when the text is not a date.
 */
export const dateMath = (text: string, last: boolean, reading: DateReading): number | undefined => {
  const { now, offset, formats, step } = reading
  const split = text.startsWith("now") ? 3 : text.includes("||") ? text.indexOf("||") : text.length
  const operations = text.slice(text.startsWith("now") ? 3 : split + 2)
  // A clock that is put forward skips times, such as midnight in Beirut: then the first time after the gap counts.
  const first = (clock: number) => instantsOf(clock, offset)[0] ?? gapStart(clock, offset)
  /** When the clock shows a time. If twice, with the same offset as before; in a gap, moved by the length of the gap. */
  const shows = (clock: number, minutes?: number) => {
    const found = instantsOf(clock, offset)
    return found.find((time) => offset(time) === minutes) ?? found[0] ?? clock - offset(clock - around) * 60_000
  }
  let time: number
  if (text.startsWith("now")) time = now
  else {
    const anchor = text.slice(0, split)
    const known = formats.length === 0 ? ["strict_date_optional_time", "epoch_millis"] : formats
    const written = known.map((format) => read(anchor, format)).find((found) => found !== undefined)
    if (written === undefined) return undefined
    // As in Elasticsearch: a missing month or day is the first one. A missing time is the start of the day or, with
    // `last` and without operations, its end.
    const unit = written.unit === "y" || written.unit === "M" ? "d" : written.unit
    const { millis, zone } = written
    const length = last && unit !== "ms" && operations === "" ? lengths[unit] : undefined
    const isDay = unit === "d" && zone === undefined
    if (isDay) time = length === undefined ? first(millis) : first(millis + length) - 1
    else {
      time = zone === undefined ? shows(millis) : millis - offsetMinutes(zone) * 60_000
      if (length !== undefined) time += length - 1
    }
  }
  operation.lastIndex = 0
  let at = 0
  for (let found = operation.exec(operations); found !== null; found = operation.exec(operations)) {
    if (!isTime(time) || step?.() === false) return undefined
    const unit = (found[2] === "H" ? "h" : found[2]) as Unit
    const [kind = "", amount = ""] = [found[1]?.[0], found[1]?.slice(1)]
    const minutes = offset(time)
    const clock = time + minutes * 60_000
    const many = (kind === "-" ? -1 : 1) * (amount === "" ? 1 : Number(amount))
    if (kind === "/") {
      const start = floor(clock, unit)
      if (!isCalendar(unit)) time = shows(start, minutes) + (last ? lengths[unit] - 1 : 0)
      else time = last ? first(add(start, 1, unit)) - 1 : first(start)
    } else if (isCalendar(unit)) {
      const moved = add(clock, many, unit)
      if (!isTime(moved)) return undefined
      time = shows(moved, minutes)
    } else time += many * lengths[unit]
    at = operation.lastIndex
  }
  return at === operations.length && isTime(time) ? time : undefined
}

/** The clocks of the last zones: making one takes tens of microseconds, and a query may name its zone in each clause. */
const clocks = new BoundedMap<string, ZoneOffset>(16)

/**
 * The clock of a time zone: an offset such as `+01:00`, or a name such as `Europe/Paris`. Undefined when it is unknown.
 */
export const zoneOffset = (zone: string): ZoneOffset | undefined => {
  if (/^(Z|[+-]\d\d(:?\d\d)?)$/.test(zone)) return () => offsetMinutes(zone)
  const known = clocks.get(zone)
  if (known !== undefined) return known
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
    const clock = steady((millis) => {
      const text = format.format(millis)
      const name = text.slice(text.indexOf("GMT") + 3)
      // Without the seconds that zones had before they had whole minutes, as +00:53:28.
      return offsetMinutes(name === "" ? "Z" : name.slice(0, 6))
    })
    clocks.set(zone, clock)
    return clock
  } catch {
    return undefined
  }
}
