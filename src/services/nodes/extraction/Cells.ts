import { zoneOffset } from "../../search/DateMath.ts"
import { instant } from "../../search/Instant.ts"

/** A spreadsheet would run such a cell as a formula. */
const formula = /^[=+\-@\t\r]/
const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const special = /[",\r\n]/

/** Names of fields that no program takes for a formula, such as `@timestamp`. */
const plainName = /^@?[A-Za-z_][A-Za-z0-9_.]*$/

const cell = (text: string | null | undefined): string => {
  if (text === null || text === undefined || text === "") return ""
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const pad = (value: number): string => String(value).padStart(2, "0")

const suffix = (minutes: number): string => {
  const [sign, size] = [minutes < 0 ? "-" : "+", Math.abs(minutes)]
  return `${sign}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

/**
 * Shows dates on the clock of a time zone, as ISO 8601 with its offset; numbers are epoch milliseconds, fractions of a
 * second stay as they are written, and what is no date is left alone. Undefined when the zone is not known.
 */
export const dates = (zone: string): ((text: string) => string) | undefined => {
  const isUtc = zone === "UTC" || zone === "Z"
  const offset = isUtc ? () => 0 : zoneOffset(zone)
  if (offset === undefined) return undefined
  return (text) => {
    const written = instant(text)
    const millis = written ?? (/^-?\d{1,14}$/.test(text) ? Number(text) : undefined)
    if (millis === undefined) return text
    const minutes = offset(millis)
    const shifted = new Date(millis + minutes * 60_000).toISOString()
    const fraction = /[.,](\d{4,9})/.exec(text)?.[1]
    const clock =
      fraction === undefined || written === undefined ? shifted.slice(0, -1) : `${shifted.slice(0, 20)}${fraction}`
    return clock + (isUtc ? "Z" : suffix(minutes))
  }
}

export type Texts = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Rows of csv by RFC 4180, of records whose fields are texts. */
export const csvOf = (columns: ReadonlyArray<string>, isDate: ReadonlySet<string>, show: (text: string) => string) => {
  const header = `${columns.map((name) => (plainName.test(name) ? name : cell(name))).join(",")}\r\n`
  const converted = columns.map((column) => isDate.has(column))
  const rows = (records: ReadonlyArray<Texts>): string => {
    let text = ""
    for (const record of records) {
      let line = ""
      for (let at = 0; at < columns.length; at++) {
        const value = textOf(record[columns[at]!])
        if (at > 0) line += ","
        line += cell(converted[at] === true && value !== null ? show(value) : value)
      }
      // A lone empty cell would be an empty line, which readers skip.
      text += line === "" ? '""\r\n' : `${line}\r\n`
    }
    return text
  }
  return { header, rows }
}
