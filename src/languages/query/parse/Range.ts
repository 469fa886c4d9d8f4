import { addressLimits } from "../Address.ts"
import { type DateReading, dateMath, isFormat, repeatedPart } from "../DateMath.ts"
import { anyOf, inFields, type Limits, type Query } from "../Query.ts"
import { datesOf } from "./Options.ts"
import { fieldOf, isNumber, type Place } from "./ValueReader.ts"

const bounds = ["gt", "gte", "lt", "lte"] as const
export type Bound = (typeof bounds)[number]

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
    let isCounted = true
    const step = () => {
      isCounted = reading.step?.() !== false
      return isCounted
    }
    const millis = dateMath(String(place.value), last, { ...reading, step })
    if (millis === undefined) {
      // That the query has too many operations is told already, once.
      if (isCounted) place.fault("Expected a date, or date math such as now-1d/d")
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

/** Limits of a range, and how its dates are meant. `isDate`: they are dates, whatever they look like. */
interface Span {
  readonly given: Given
  readonly reading: DateReading
  readonly isDate: boolean
  /** The place of the range. */
  readonly place: Place
}

/**
 * A range of dates when a limit is a date or the span says so, and for `@timestamp`; of addresses when all limits are
 * addresses; of numbers when all limits are numbers; else of texts, and always for ids and names of indices. Undefined
 * after a fault.
 */
const ranging = (field: string, { given, reading, isDate, place }: Span): Query | undefined => {
  if (given.size === 0) return { _tag: "Exists", field }
  const limits = limitsOf(given)
  if (field === "_id" || field === "_index") return { _tag: "Texts", field, limits }
  const values = [...given.values()].map(({ value }) => value)
  const hasDate = values.some((value) => typeof value === "string" && isDateText(value))
  if (isDate || hasDate || field === "@timestamp") return dates(field, given, reading)
  const areTexts = values.every((value) => typeof value === "string")
  const areNumbers = values.every((value) => isNumber(String(value)))
  const addresses = areTexts ? addressLimits([...given].map(([bound, { value }]) => [bound, String(value)])) : undefined
  if (addresses !== undefined) return { _tag: "Addresses", field, ranges: [addresses] }
  if (!areNumbers && !areTexts) {
    return place.fault("The limits must be all numbers, all dates, all addresses or all texts")
  }
  return anyOf([
    ...(areNumbers ? [{ _tag: "Numbers", field, limits } as const] : []),
    ...(areTexts ? [{ _tag: "Texts", field, limits } as const] : [])
  ])
}

/** A range of the fields that a name stands for; undefined after a fault. */
export const rangeOf = (name: string, span: Span): Query | undefined => {
  // A fault is the same for all fields.
  const named = ranging(name, span)
  if (named === undefined) return undefined
  return inFields(name, (field) => (field === name ? named : (ranging(field, span) ?? { _tag: "None" })))
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
  const twice = formats.map(repeatedPart).find((part) => part !== undefined)
  if (twice !== undefined) members.get("format")?.fault(`The format has ${twice} twice`)
  const reading = datesOf(members, inner)
  members.get("relation")?.oneOf(["intersects", "contains", "within"])
  if (field === undefined || (unknown ?? twice) !== undefined || reading === undefined) return undefined
  const isDate = members.has("format") || members.has("time_zone")
  return rangeOf(field, { given: limits, reading: { ...reading, formats }, isDate, place: inner })
}
