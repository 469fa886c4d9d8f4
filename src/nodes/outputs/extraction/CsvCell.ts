import { isPattern, patternParts, zoneOffset } from "../../../languages/query/DateMath.ts"
import { instant } from "../../../languages/query/Instant.ts"
import { guarded, guardedName, quoted } from "../../formats/CsvEncoder.ts"

/** A cell by RFC 4180. */
export const cell = (text: string | null | undefined): string =>
  text === null || text === undefined || text === "" ? "" : quoted(guarded(text))

const pad = (value: number): string => String(value).padStart(2, "0")

const suffix = (minutes: number): string => {
  const [sign, size] = [minutes < 0 ? "-" : "+", Math.abs(minutes)]
  return `${sign}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

/** Formats a date by a pattern of `yyyy MM dd HH mm ss SSS XXX` and characters between them. */
const byPattern = (pattern: string, clock: Date, fraction: string, zone: string): string => {
  const iso = clock.toISOString()
  const year = iso.slice(0, -20)
  const parts: Readonly<Record<string, string>> = {
    ...{ yyyy: year, uuuu: year, MM: iso.slice(-19, -17), dd: iso.slice(-16, -14), HH: iso.slice(-13, -11) },
    ...{ mm: iso.slice(-10, -8), ss: iso.slice(-7, -5), XXX: zone }
  }
  return pattern.replace(patternParts, (part) =>
    part.startsWith("S") ? fraction.padEnd(9, "0").slice(0, part.length) : (parts[part] ?? part.slice(1, -1))
  )
}

/**
 * Formats dates in a time zone, by a format of the search or else as ISO 8601 with offset. Numbers are epoch
 * milliseconds, fractions of a second keep their digits, and texts that are not dates stay unchanged. Undefined when
 * the zone is unknown.
 */
export const dates = (zone: string, format?: string): ((text: string) => string) | undefined => {
  const isUtc = zone === "UTC" || zone === "Z"
  const offset = isUtc ? () => 0 : zoneOffset(zone)
  if (offset === undefined) return undefined
  return (text) => {
    const written = instant(text)
    const millis = written ?? (/^-?\d{1,14}$/.test(text) ? Number(text) : undefined)
    if (millis === undefined) return text
    if (format === "epoch_millis") return String(millis)
    if (format === "epoch_second") return String(Math.floor(millis / 1000))
    const minutes = offset(millis)
    const clock = new Date(millis + minutes * 60_000)
    const shown = isUtc ? "Z" : suffix(minutes)
    const shifted = clock.toISOString()
    const fraction = (written === undefined ? undefined : /[.,](\d{4,9})/.exec(text)?.[1]) ?? shifted.slice(-4, -1)
    if (format !== undefined && isPattern(format)) return byPattern(format, clock, fraction, shown)
    return shifted.slice(0, -4) + fraction + shown
  }
}

export type Texts = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Whether fields of this type are dates. */
export const isDate = (type: string | null | undefined): boolean => type?.toLowerCase() === "date"

/** Converts a value for display. */
export type Show = (text: string) => string

/** Encodes records whose fields are texts as csv (RFC 4180). `shown` has the conversion of each column, if any. */
export const csvOf = (columns: ReadonlyArray<string>, shown: ReadonlyArray<Show | undefined> = []) => {
  const header = `${columns.map((name) => quoted(guardedName(name))).join(",")}\r\n`
  const rows = (records: ReadonlyArray<Texts>): string => {
    let text = ""
    for (const record of records) {
      let line = ""
      for (let at = 0; at < columns.length; at++) {
        const value = textOf(record[columns[at]!])
        const show = shown[at]
        if (at > 0) line += ","
        line += cell(show !== undefined && value !== null ? show(value) : value)
      }
      // A lone empty cell would be an empty line, which readers skip.
      text += line === "" ? '""\r\n' : `${line}\r\n`
    }
    return text
  }
  return { header, rows }
}
