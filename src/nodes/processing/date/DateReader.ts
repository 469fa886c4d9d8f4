import { date } from "../../../languages/flowlet/guest/date.ts"

/** Parses a time and returns it in ISO 8601, UTC, with milliseconds; null when the text does not match. */
export type Read = (text: string) => string | null

export interface ReadOptions {
  readonly zone: string
  readonly year: number
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The offset from UTC in minutes of `Z`, `UTC`, `GMT`, `+02:00` or `+0200`. */
const zoneMinutes = (zone: string): number => {
  const sign = zone.charCodeAt(0)
  if (sign !== 43 && sign !== 45) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return sign === 45 ? -minutes : minutes
}

const iso = (
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  millis: number,
  zone: number
): string | null => {
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60) return null
  if (day > daysOf[month - 1]! + (month === 2 && isLeap(year) ? 1 : 0)) return null
  return new Date(Date.UTC(year, month - 1, day, hour, minute - zone, second, millis)).toISOString()
}

const isoTime = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:(Z|[+-]\d\d:?\d\d))?$/

const thousandths = (digits: string | undefined): number =>
  digits === undefined ? 0 : Number(digits.slice(0, 3).padEnd(3, "0"))

/** Parses the common forms directly, and others with the general parser. */
const isoReader = (options: ReadOptions): Read => {
  const otherwise = zoneMinutes(options.zone)
  return (text) => {
    const found = isoTime.exec(text)
    if (found === null || Number(found[1]) < 100 || text[10] === "t") return date(text, "ISO8601", options)
    const zone = found[8] === undefined ? otherwise : zoneMinutes(found[8])
    const [, year, month, day, hour, minute, second] = found
    return iso(+year!, +month!, +day!, +hour!, +minute!, +second!, thousandths(found[7]), zone)
  }
}

const kinds: Readonly<Record<string, readonly [kind: string, regex: string]>> = {
  yyyy: ["y", "\\d{4}"],
  MM: ["M", "\\d\\d"],
  MMM: ["N", "[A-Za-z]{3,9}"],
  dd: ["d", "\\d\\d"],
  d: ["d", "\\d{1,2}"],
  HH: ["H", "\\d\\d"],
  H: ["H", "\\d{1,2}"],
  mm: ["m", "\\d\\d"],
  ss: ["s", "\\d\\d"],
  S: ["S", "\\d{1,9}"],
  SSS: ["S", "\\d{1,9}"],
  Z: ["Z", "Z|z|UTC|GMT|[+-]\\d\\d:?\\d\\d"]
}

/** A fast reader for a format whose fields are all among {@link kinds} and occur at most once; else undefined. */
const compiled = (format: string, options: ReadOptions): Read | undefined => {
  const places = new Map<string, number>()
  let pattern = ""
  for (const [token, quoted] of format.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
    if (quoted !== undefined || !/[A-Za-z]/.test(token)) {
      const text = token === "''" ? "'" : (quoted?.replaceAll("''", "'") ?? token)
      pattern += text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/ +/g, " +")
      continue
    }
    const known = kinds[token]
    if (known === undefined || places.has(known[0])) return undefined
    places.set(known[0], places.size + 1)
    pattern += `(${known[1]})`
  }
  if (places.has("M") && places.has("N")) return undefined
  const regex = new RegExp(`^${pattern}$`)
  const at = (kind: string) => places.get(kind) ?? 0
  const [y, M, N, d, H] = [at("y"), at("M"), at("N"), at("d"), at("H")]
  const [m, s, S, Z] = [at("m"), at("s"), at("S"), at("Z")]
  const otherwise = zoneMinutes(options.zone)
  return (text) => {
    const found = regex.exec(text.trim())
    if (found === null) return null
    const year = y === 0 ? options.year : +found[y]!
    // `Date` maps years below 100 to the 20th century.
    if (year < 100) return date(text, format, options)
    const month = N !== 0 ? months.indexOf(found[N]!.slice(0, 3).toLowerCase()) + 1 : M === 0 ? 1 : +found[M]!
    return iso(
      year,
      month,
      d === 0 ? 1 : +found[d]!,
      H === 0 ? 0 : +found[H]!,
      m === 0 ? 0 : +found[m]!,
      s === 0 ? 0 : +found[s]!,
      S === 0 ? 0 : thousandths(found[S]),
      Z === 0 ? otherwise : zoneMinutes(found[Z]!)
    )
  }
}

/**
 * A reader for many texts of one valid format. The results are those of the programs' `date`, which parses the format
 * on each call.
 */
export const reader = (format: string, options: ReadOptions): Read => {
  if (format === "ISO8601") return isoReader(options)
  const quick = format.startsWith("UNIX") ? undefined : compiled(format, options)
  return quick ?? ((text) => date(text, format, options))
}
