import { type DateReading, dateMath, isFormat, zoneOffset } from "../DateMath.ts"
import { anyOf, type Limits, type Query } from "../Query.ts"
import { fieldOf, isNumber, type Place } from "./ValueReader.ts"

const bounds = ["gt", "gte", "lt", "lte"] as const
type Bound = (typeof bounds)[number]

type Given = ReadonlyMap<Bound, Place>

const isDateMath = (text: string): boolean => /^now($|[+\-/])/.test(text) || text.includes("||")
const isDateText = (text: string): boolean => isDateMath(text) || /^\d{4}-\d\d(?:-\d\d(?:[T ].*)?)?$/.test(text)

/** The earliest and the latest supported date. */
const ages = { from: -62_135_596_800_000, to: 253_402_300_799_999 }

const dates = (field: string, given: Given, reading: DateReading): Query | undefined => {
  let [from, to] = [ages.from, ages.to]
  let fine = true
  for (const [bound, place] of given) {
    // `gt` and `lte` refer to the end of the period that a limit names, such as a day.
    const last = bound === "gt" || bound === "lte"
    const millis = dateMath(String(place.value), last, reading)
    if (millis === undefined) {
      place.fault("Expected a date, or date math such as now-1d/d")
      fine = false
    } else if (bound === "gt") from = Math.max(from, millis + 1)
    else if (bound === "gte") from = Math.max(from, millis)
    else if (bound === "lt") to = Math.min(to, millis - 1)
    else to = Math.min(to, millis)
  }
  return fine ? { _tag: "Dates", field, from: Math.max(from, ages.from), to: Math.min(to, ages.to) } : undefined
}

const limitsOf = (given: Given): Limits =>
  Object.fromEntries([...given].map(([bound, { value }]) => [bound, String(value)] as const))

/**
 * A range of dates when a limit is a date, when there is a `format` or a `time_zone`, and for `@timestamp`; of numbers
 * when all limits are numbers; else of texts.
 */
export const ranging = (field: string, given: Given, options: Omit<DateReading, "now"> | undefined, now: number) => {
  const values = [...given.values()].map(({ value }) => value)
  const isDate = values.some((value) => typeof value === "string" && isDateText(value))
  if (options !== undefined || isDate || field === "@timestamp") {
    return dates(field, given, { offset: () => 0, formats: [], ...options, now })
  }
  const limits = limitsOf(given)
  const areTexts = values.every((value) => typeof value === "string")
  const areNumbers = values.every((value) => isNumber(String(value)))
  return anyOf([
    ...(areNumbers ? [{ _tag: "Numbers", field, limits } as const] : []),
    ...(areTexts ? [{ _tag: "Texts", field, limits } as const] : [])
  ])
}

const given = (members: ReadonlyMap<string, Place>): Given =>
  new Map(
    bounds.flatMap((bound) => {
      const place = members.get(bound)
      // An open limit can be written as null.
      if (place === undefined || place.value === null) return []
      const value = place.scalar()
      if (typeof value === "boolean") place.fault("Expected a text or a number")
      return value === undefined ? [] : [[bound, place] as const]
    })
  )

export const range = (place: Place): Query | undefined => {
  const [name, inner] = place.only("field") ?? []
  if (name === undefined || inner === undefined) return undefined
  const field = fieldOf(inner, name)
  const members = inner.members([...bounds, "format", "time_zone", "relation", "boost", "_name"])
  if (members === undefined) return undefined
  const limits = given(members)
  const formats = members.get("format")?.text()?.split("||") ?? []
  const unknown = formats.find((format) => !isFormat(format))
  if (unknown !== undefined) members.get("format")?.fault(`Unknown format ${JSON.stringify(unknown)}`)
  const zone = members.get("time_zone")
  const zoneName = zone?.text()
  const offset = zoneName === undefined ? undefined : zoneOffset(zoneName)
  if (zoneName !== undefined && offset === undefined) zone?.fault("Unknown time zone")
  members.get("relation")?.oneOf(["intersects", "contains", "within"])
  if (field === undefined || unknown !== undefined) return undefined
  if (limits.size === 0) return { _tag: "Exists", field }
  const asked = members.has("format") || zone !== undefined
  const result = ranging(field, limits, asked ? { formats, offset: offset ?? (() => 0) } : undefined, place.now)
  return result?._tag === "None" ? inner.fault("The limits must be all numbers, all dates or all texts") : result
}
