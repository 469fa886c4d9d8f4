import { dayOf, dayOfWeek, dayOfYear, nearest, offsetMinutes, timeOf } from "./Calendar.ts"
import { formatParts, type Kind, type Part } from "./DateFormat.ts"
import { anyOf, englishNames, fold, type Names, namesOf, valueOf } from "./DateNames.ts"
import { type Zone, zoneOf } from "./Zone.ts"

/** Epoch milliseconds of a time; NaN when the text does not match. `zone` is for texts without one. */
export type Read = (text: string, zone: Zone) => number

export interface ReadOptions {
  /** Year of times without one. Default: the one that brings them closest to now. */
  readonly year?: number | undefined
  readonly locale?: string | undefined
  readonly now: () => number
}

/** Milliseconds of the digits after a decimal point. */
export const thousandths = (digits: string): number =>
  digits.length === 3 ? +digits : Number(digits.slice(0, 3).padEnd(3, "0"))

const zonePattern = "[A-Za-z]{3}[+-]\\d{1,2}(?::?\\d\\d)?|[A-Za-z][A-Za-z0-9_+/-]*"
const offsetPattern = "[+-]\\d\\d(?::?\\d\\d)?|Z|z|UTC|GMT"

const regexOf = ({ kind, width }: Exclude<Part, string>, names: Names | undefined): string => {
  switch (kind) {
    case "year":
    case "weekYear":
      return width === 2 ? "\\d\\d" : "\\d{4}"
    case "monthName":
      return names === undefined ? "[A-Za-z]{3,9}\\.?" : anyOf(names.months)
    case "weekdayName":
      return names === undefined ? "[A-Za-z]{3,9}\\.?" : anyOf(names.weekdays)
    case "half":
      return names === undefined ? "[AaPp][Mm]" : anyOf(names.halves)
    case "weekday":
      return "\\d"
    case "dayOfYear":
      return width === 3 ? "\\d{3}" : "\\d{1,3}"
    case "fraction":
      return "\\d{1,9}"
    case "offset":
      return offsetPattern
    case "zone":
      return `${offsetPattern}|${zonePattern}`
    default:
      return width === 1 ? "\\d{1,2}" : "\\d\\d"
  }
}

/** A blank stands for several, and for those that do not break: Java and Node write U+202F before AM and PM. */
const literal = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[ \u00a0\u202f]+/g, "[ \\u00a0\\u202f]+")

const fullYear = (digits: string): number => (digits.length === 2 ? +digits + (+digits < 70 ? 2000 : 1900) : +digits)

/** The minutes of an offset or of UTC; NaN for others. */
const minutesOf = (text: string): number => {
  const sign = text.charCodeAt(0)
  return sign === 43 || sign === 45 ? offsetMinutes(text) : 0
}

/** A reader for many texts of one format. Throws a `FormatFault`. */
export const formatReader = (format: string, { year: fixedYear, locale, now }: ReadOptions): Read => {
  const parts = formatParts(format)
  /** Names in other languages are looked for in folded texts. */
  const own = locale === undefined ? undefined : namesOf(locale)
  const names = own ?? englishNames
  /** The groups of the fields. Of a field that occurs twice, the last one counts. */
  const groups = new Map<Kind, number>()
  let [pattern, count] = ["", 0]
  for (const part of parts) {
    if (typeof part === "string") pattern += literal(own === undefined ? part : fold(part))
    else {
      if (part.kind === "month") groups.delete("monthName")
      if (part.kind === "monthName") groups.delete("month")
      groups.set(part.kind, ++count)
      pattern += `(${regexOf(part, own)})`
    }
  }
  const regex = new RegExp(`^${pattern}$`, own === undefined ? "" : "iu")
  const group = (kind: Kind) => groups.get(kind) ?? 0
  const [y, M, N, d, H] = [group("year"), group("month"), group("monthName"), group("day"), group("hour")]
  const [m, s, S, offset, region] = [
    group("minute"),
    group("second"),
    group("fraction"),
    group("offset"),
    group("zone")
  ]
  const [D, w, Y, e, h, a] = [
    group("dayOfYear"),
    group("week"),
    group("weekYear"),
    group("weekday"),
    group("hour12"),
    group("half")
  ]
  const [k, E] = [group("hour24"), group("weekdayName")]

  const monthOf = (found: RegExpExecArray): number => {
    if (M !== 0) return +found[M]!
    return N === 0 ? 1 : (valueOf(names.months, found[N]!) ?? Number.NaN)
  }
  const weekdayOf = (found: RegExpExecArray): number => {
    if (e !== 0) return +found[e]!
    return E === 0 ? 1 : (valueOf(names.weekdays, found[E]!) ?? Number.NaN)
  }
  /** Midnight of the day in a year. */
  const dayIn = (found: RegExpExecArray, year: number): number => {
    if (w !== 0) return dayOfWeek(year, +found[w]!, weekdayOf(found))
    if (D !== 0) return dayOfYear(year, +found[D]!)
    return dayOf(year, monthOf(found), d === 0 ? 1 : +found[d]!)
  }
  /** The hours before its half of a day. */
  const halfOf = (found: RegExpExecArray): number => {
    if (a === 0) return 0
    const isAfternoon = valueOf(names.halves, found[a]!)
    return isAfternoon === undefined ? Number.NaN : isAfternoon ? 12 : 0
  }
  const hourOf = (found: RegExpExecArray): number => {
    if (k !== 0) return +found[k]! < 1 || +found[k]! > 24 ? 99 : +found[k]! % 24
    if (h === 0) return 0
    return +found[h]! > 12 ? 99 : (+found[h]! % 12) + halfOf(found)
  }
  const yearAt = w !== 0 && Y !== 0 ? Y : y
  return (text, zone) => {
    const found = regex.exec(own === undefined ? text.trim() : fold(text.trim()))
    if (found === null) return Number.NaN
    // A weekday beside a date is not compared with it, but has to be one.
    if (E !== 0 && own === undefined && valueOf(names.weekdays, found[E]!) === undefined) return Number.NaN
    const time = timeOf(
      H !== 0 ? +found[H]! : hourOf(found),
      m === 0 ? 0 : +found[m]!,
      s === 0 ? 0 : +found[s]!,
      S === 0 ? 0 : thousandths(found[S]!)
    )
    const year = yearAt === 0 ? fixedYear : fullYear(found[yearAt]!)
    const local = year === undefined ? nearest(now(), (each) => dayIn(found, each) + time) : dayIn(found, year) + time
    if (offset !== 0) return local - minutesOf(found[offset]!) * 60_000
    const other = region === 0 ? zone : zoneOf(found[region]!)
    return other === undefined || Number.isNaN(local) ? Number.NaN : other(local)
  }
}
