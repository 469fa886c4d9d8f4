import { readRecord } from "../../../languages/json/JsonNumbers.ts"
import { reader } from "../../time/DateReader.ts"
import { settingZone, utc } from "../../time/Zone.ts"
import { Unreadable } from "../ParsingNode.ts"

export const types = ["string", "integer", "float", "boolean", "date", "date_time"] as const
export type Type = (typeof types)[number]

const dayMillis = 86_400_000

/** Converts a trimmed text that is not empty; undefined when it is not of the type. */
type Convert = (text: string) => string | number | boolean | undefined

/** The value of up to 15 digits, with one decimal point at most; undefined for any other text. */
const plainNumber = (text: string, point: boolean): number | undefined => {
  if (text.length === 0 || text.length > 15) return undefined
  let points = point ? 0 : 1
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 46 && points++ === 0 && text.length > 1) continue
    if (unit < 48 || unit > 57) return undefined
  }
  return Number(text)
}

const integer: Convert = (text) => {
  const plain = plainNumber(text, false)
  if (plain !== undefined) return plain
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text.replace(/^\+/, "")
}

/** A number whose digits JavaScript would round stays text, as in JSON. */
export const float: Convert = (text) => {
  const plain = plainNumber(text, true)
  if (plain !== undefined) return plain
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const value = Number(text)
  const isJson = text.length > 15 && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text)
  if (isJson) return readRecord(text) as number | string
  return Number.isFinite(value) ? value : undefined
}

const boolean: Convert = (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined)

const iso = (millis: number): string | undefined => (Number.isNaN(millis) ? undefined : new Date(millis).toISOString())

/** How the texts of columns become values. Throws {@link Unreadable}. */
export const converter = (
  formats: ReadonlyArray<string>,
  timezone: string
): ((text: string, type: Type, column: string) => unknown) => {
  const readers = formats.map((format) => reader(format, { now: Date.now }))
  const zone = settingZone(timezone) ?? utc
  const first = (text: string, own: typeof zone): number =>
    readers.reduce((found, read) => (Number.isNaN(found) ? read(text, own) : found), Number.NaN)
  const conversions: Readonly<Record<Exclude<Type, "string">, Convert>> = {
    integer,
    float,
    boolean,
    date: (text) => {
      let isMoment = true
      const time = first(text, (local) => {
        isMoment = false
        return local
      })
      if (Number.isNaN(time)) return undefined
      const day = Math.floor(time / dayMillis) * dayMillis
      if (!isMoment) return iso(zone(day))
      // A text with an offset, or seconds since 1970, has the day that the zone has then.
      const midnights = [day + dayMillis, day, day - dayMillis].map(zone)
      return iso(midnights.find((midnight) => midnight <= time) ?? Number.NaN)
    },
    date_time: (text) => iso(first(text, zone))
  }
  return (text, type, column) => {
    if (type === "string") return text
    const trimmed = text.trim()
    if (trimmed === "") return null
    const value = conversions[type](trimmed)
    if (value !== undefined) return value
    throw new Unreadable(`the column ${column} is not of type ${type}: ${trimmed.slice(0, 40)}`)
  }
}
