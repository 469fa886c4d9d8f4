import * as Predicate from "effect/Predicate"
import { dateMath } from "../DateMath.ts"
import { anyOf, none, type Query } from "../Query.ts"
import { exactly, startingWith, wildcard } from "../text/TextPattern.ts"
import { fieldOf, limits, type Place, tooMuchWork, valuesOf } from "./ValueReader.ts"

type Scalar = string | number | boolean

/** The period that a date names: a day for a date without a time, at least a millisecond. */
const during = (field: string, value: Scalar, now: number): Query | undefined => {
  const [from, to] = [false, true].map((last) => dateMath(String(value), last, { now, offset: () => 0, formats: [] }))
  return from === undefined || to === undefined ? undefined : { _tag: "Dates", field, from, to }
}

/** Matches values of a field. `_id` is the document's id, and `@timestamp` a date. */
export const equalTo = (field: string, values: ReadonlyArray<Scalar>, now: number): Query => {
  if (values.length === 0) return none
  if (field === "_id") return { _tag: "Ids", ids: values.map(String) }
  const equals: Query = { _tag: "Equals", field, values: valuesOf(values) }
  if (field !== "@timestamp") return equals
  const dates = values.map((value) => during(field, value, now))
  return dates.every((date) => date !== undefined)
    ? anyOf(dates)
    : anyOf([equals, ...dates.filter((date) => date !== undefined)])
}

/** Maximum number of dates in a list, because each is a separate condition. */
const mostDates = 1024

interface Given {
  readonly field: string
  readonly value: string | number | boolean
  readonly ignoreCase: boolean
}

/** `{ "<field>": value }` or `{ "<field>": { "value": value, … } }`. */
const given = (place: Place, names: ReadonlyArray<string>, more: ReadonlyArray<string> = []): Given | undefined => {
  const [name, inner] = place.only("field") ?? []
  if (name === undefined || inner === undefined) return undefined
  const field = fieldOf(inner, name)
  if (!Predicate.isObject(inner.value)) {
    const value = inner.scalar()
    return field === undefined || value === undefined ? undefined : { field, value, ignoreCase: false }
  }
  const members = inner.members([...names, "case_insensitive", "boost", "_name", ...more])
  if (members === undefined) return undefined
  const found = names.flatMap((one) => members.get(one) ?? [])
  if (found.length !== 1) return inner.fault(`Expected ${names.join(" or ")}`)
  const value = found[0]?.scalar()
  const ignoreCase = members.get("case_insensitive")?.flag() ?? false
  return field === undefined || value === undefined ? undefined : { field, value, ignoreCase }
}

export const term = (place: Place): Query | undefined => {
  const found = given(place, ["value"])
  if (found === undefined) return undefined
  const { field, value, ignoreCase } = found
  const equals = equalTo(field, [value], place.now)
  if (ignoreCase && !place.spend(String(value))) return place.fault(tooMuchWork)
  return ignoreCase ? anyOf([equals, { _tag: "Matches", field, pattern: exactly(String(value)) }]) : equals
}

export const terms = (place: Place): Query | undefined => {
  if (!Predicate.isObject(place.value)) return place.fault("Expected an object")
  const fields = Object.keys(place.value).filter((key) => key !== "boost" && key !== "_name")
  const [name, second] = fields
  if (name === undefined || second !== undefined) return place.fault("Expected exactly one field")
  const inner = place.at(name, place.value[name])
  const field = fieldOf(inner, name)
  const values = inner.list()?.map((one) => one.scalar())
  if (field === undefined || values === undefined) return undefined
  if (field === "@timestamp" && values.length > mostDates) return inner.fault(`A list has at most ${mostDates} dates`)
  return equalTo(
    field,
    values.filter((value) => value !== undefined),
    place.now
  )
}

export const prefix = (place: Place): Query | undefined => {
  const found = given(place, ["value"], ["rewrite"])
  if (found === undefined) return undefined
  const { field, value, ignoreCase } = found
  if (ignoreCase && !place.spend(String(value))) return place.fault(tooMuchWork)
  return ignoreCase
    ? { _tag: "Matches", field, pattern: startingWith(String(value)) }
    : { _tag: "Prefix", field, prefix: String(value) }
}

/** Maximum number of `*` and `?` in a pattern. */
const mostWildcards = 64

/** Matches texts with a wildcard pattern; `*` alone matches every value. */
export const fitting = (field: string, pattern: string, ignoreCase: boolean): Query =>
  /^\*+$/.test(pattern) ? { _tag: "Exists", field } : { _tag: "Matches", field, pattern: wildcard(pattern, ignoreCase) }

export const wildcardFault = (pattern: string): string | undefined => {
  if (pattern.length > limits.text / 8) return `A pattern has at most ${limits.text / 8} characters`
  const count = pattern.match(/[*?]+/g)?.length ?? 0
  return count > mostWildcards ? `A pattern has at most ${mostWildcards} wildcards` : undefined
}

export const wildcards = (place: Place): Query | undefined => {
  const found = given(place, ["value", "wildcard"], ["rewrite"])
  if (found === undefined) return undefined
  const fault = wildcardFault(String(found.value)) ?? (place.spend(String(found.value)) ? undefined : tooMuchWork)
  return fault === undefined
    ? fitting(found.field, String(found.value), found.ignoreCase)
    : place.at(found.field, undefined).fault(fault)
}

export const exists = (place: Place): Query | undefined => {
  const members = place.members(["field", "boost", "_name"])
  if (members === undefined) return undefined
  const inner = members.get("field")
  if (inner === undefined) return place.fault('"field" is missing')
  const name = inner.text()
  const field = name === undefined ? undefined : fieldOf(inner, name)
  return field === undefined ? undefined : { _tag: "Exists", field }
}

export const ids = (place: Place): Query | undefined => {
  const members = place.members(["values", "boost", "_name"])
  if (members === undefined) return undefined
  const inner = members.get("values")
  if (inner === undefined) return place.fault('"values" is missing')
  const given = inner.list()?.map((one) => one.scalar())
  return given === undefined
    ? undefined
    : equalTo(
        "_id",
        given.filter((value) => value !== undefined),
        place.now
      )
}
