import * as Predicate from "effect/Predicate"
import { addressOf, networkOf } from "../Address.ts"
import { dateMath } from "../DateMath.ts"
import { anyOf, inFields, none, type Query } from "../Query.ts"
import { storable } from "../StoredText.ts"
import { fuzzyCost, mostFuzzy, near } from "../text/Fuzzy.ts"
import { RegexpFault, type RegexpFlag, regexpFlags, translated } from "../text/Regexp.ts"
import { exactly, hasWildcard, startingWith, wildcard } from "../text/TextPattern.ts"
import { checkIdle, fuzzinessOf, fuzzyNames } from "./Options.ts"
import { type Dates, fieldOf, limits, type Place, tooMuchWork, valuesOf } from "./ValueReader.ts"

type Scalar = string | number | boolean

/** The period that a date names: a day for a date without a time, at least a millisecond. */
const during = (field: string, value: Scalar, dates: Dates): Query | undefined => {
  const [from, to] = [false, true].map((last) => dateMath(String(value), last, { ...dates, formats: [] }))
  return from === undefined || to === undefined ? undefined : { _tag: "Dates", field, from, to }
}

/** The network that a text names, or the one address that can be written in several ways. */
const rangeOf = (value: Scalar) => {
  if (typeof value !== "string" || !/[:/]/.test(value)) return undefined
  const address = addressOf(value)
  return address === undefined ? networkOf(value) : { from: address, to: address }
}

/** Matches addresses in the networks among the values; undefined when none is one. */
export const inNetworks = (field: string, values: ReadonlyArray<Scalar>): Query | undefined => {
  const ranges = values.flatMap((value) => rangeOf(value) ?? [])
  return ranges.length === 0 ? undefined : { _tag: "Addresses", field, ranges }
}

/** Names of indices may have wildcards. */
const indices = (names: ReadonlyArray<string>): Query =>
  anyOf([
    { _tag: "Equals", field: "_index", values: { texts: names, numbers: [], booleans: [] } },
    ...names.filter(hasWildcard).map((name) => fitting("_index", name, false))
  ])

/** Matches values of a field. `_id` is the document's id, `_index` that of its index, and `@timestamp` a date. */
export const equalTo = (field: string, values: ReadonlyArray<Scalar>, dates: Dates): Query => {
  if (values.length === 0) return none
  if (field === "_id") return { _tag: "Ids", ids: values.map(String) }
  if (field === "_index") return indices(values.map(String))
  const equals: Query = { _tag: "Equals", field, values: valuesOf(values) }
  if (field !== "@timestamp") return anyOf([equals, ...[inNetworks(field, values) ?? []].flat()])
  const periods = values.map((value) => during(field, value, dates))
  return periods.every((period) => period !== undefined)
    ? anyOf(periods)
    : anyOf([equals, ...periods.filter((period) => period !== undefined)])
}

/** Maximum number of dates, networks or patterns in a list, because each is a separate condition. */
const mostConditions = 1024

interface Given {
  readonly field: string
  readonly value: Scalar
  readonly ignoreCase: boolean
  /** The place of the field's value or options. */
  readonly place: Place
  readonly members: ReadonlyMap<string, Place>
}

const caseOption = ["case_insensitive"]

/** `{ "<field>": value }` or `{ "<field>": { "value": value, … } }`. */
const given = (place: Place, names: ReadonlyArray<string>, more: ReadonlyArray<string> = caseOption) => {
  const [name, inner] = place.only("field") ?? []
  if (name === undefined || inner === undefined) return undefined
  const field = fieldOf(inner, name)
  if (!Predicate.isObject(inner.value)) {
    const value = inner.scalar()
    if (field === undefined || value === undefined) return undefined
    return { field, value, ignoreCase: false, place: inner, members: new Map() } satisfies Given
  }
  const members = inner.members([...names, ...more, "boost", "_name"])
  if (members === undefined) return undefined
  checkIdle(members)
  const found = names.flatMap((one) => members.get(one) ?? [])
  if (found.length !== 1) return inner.fault(`Expected ${names.join(" or ")}`)
  const value = found[0]?.scalar()
  const ignoreCase = members.get("case_insensitive")?.flag() ?? false
  if (field === undefined || value === undefined) return undefined
  return { field, value, ignoreCase, place: found[0] ?? inner, members } satisfies Given
}

export const term = (place: Place): Query | undefined => {
  const found = given(place, ["value"])
  if (found === undefined) return undefined
  const { value, ignoreCase } = found
  if (ignoreCase && !place.spend(String(value))) return place.fault(tooMuchWork)
  return inFields(found.field, (field) => {
    const equals = equalTo(field, [value], place.dates)
    return ignoreCase ? anyOf([equals, { _tag: "Matches", field, pattern: exactly(String(value)) }]) : equals
  })
}

export const terms = (place: Place): Query | undefined => {
  if (!Predicate.isObject(place.value)) return place.fault("Expected an object")
  const fields = Object.keys(place.value).filter((key) => key !== "boost" && key !== "_name")
  const [name, second] = fields
  if (name === undefined || second !== undefined) return place.fault("Expected exactly one field")
  const inner = place.at(name, place.value[name])
  const field = fieldOf(inner, name)
  if (Predicate.isObject(inner.value)) {
    return inner.fault("Terms of another document are not supported: read it, and write its values as a list")
  }
  const values = inner.list()?.map((one) => one.scalar())
  if (field === undefined || values === undefined) return undefined
  const known = values.filter((value) => value !== undefined)
  const isSeparate = (value: Scalar) =>
    field === "@timestamp" || (field === "_index" ? hasWildcard(String(value)) : rangeOf(value) !== undefined)
  let separate = 0
  for (const value of known) if (separate <= mostConditions && isSeparate(value)) separate++
  if (separate > mostConditions) {
    const what = field === "@timestamp" ? "dates" : field === "_index" ? "patterns" : "networks and IPv6 addresses"
    return inner.fault(`A list has at most ${mostConditions} ${what}`)
  }
  return inFields(field, (one) => equalTo(one, known, place.dates))
}

export const prefix = (place: Place): Query | undefined => {
  const found = given(place, ["value"], [...caseOption, "rewrite"])
  if (found === undefined) return undefined
  const { value, ignoreCase } = found
  if (ignoreCase && !place.spend(String(value))) return place.fault(tooMuchWork)
  return inFields(found.field, (field) =>
    ignoreCase
      ? { _tag: "Matches", field, pattern: startingWith(String(value)) }
      : { _tag: "Prefix", field, prefix: String(value) }
  )
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
  const found = given(place, ["value", "wildcard"], [...caseOption, "rewrite"])
  if (found === undefined) return undefined
  const pattern = String(found.value)
  const fault = wildcardFault(pattern) ?? (place.spend(pattern) ? undefined : tooMuchWork)
  return fault === undefined
    ? inFields(found.field, (field) => fitting(field, pattern, found.ignoreCase))
    : found.place.fault(fault)
}

const flagsOf = (place: Place | undefined): ReadonlySet<RegexpFlag> | undefined => {
  if (place === undefined) return new Set(["ALL"])
  const names = place.text()?.split("|") ?? []
  const known = names.flatMap((name) => regexpFlags.find((flag) => flag === name.trim().toUpperCase()) ?? [])
  if (names.length > 0 && known.length === names.length) return new Set(known)
  return place.fault(`Expected flags such as ${regexpFlags.join(", ")}, joined by |`)
}

export const regexp = (place: Place): Query | undefined => {
  const found = given(place, ["value"], [...caseOption, "flags", "max_determinized_states", "rewrite"])
  if (found === undefined) return undefined
  const flags = flagsOf(found.members.get("flags"))
  if (flags === undefined) return undefined
  try {
    const pattern = translated(String(found.value), { ignoreCase: found.ignoreCase, flags })
    if (!place.spend(pattern)) return place.fault(tooMuchWork)
    return inFields(found.field, (field) => ({ _tag: "Matches", field, pattern }))
  } catch (error) {
    if (error instanceof RegexpFault) return found.place.fault(`The regular expression is refused: ${error.message}`)
    throw error
  }
}

export const fuzzy = (place: Place): Query | undefined => {
  const names = fuzzyNames().filter((name) => name !== "fuzzy_transpositions" && name !== "fuzzy_rewrite")
  const found = given(place, ["value"], [...names, "transpositions", "rewrite"])
  if (found === undefined) return undefined
  const fuzziness = fuzzinessOf(found.members, "", "transpositions")
  if (fuzziness === undefined) return undefined
  const text = String(found.value)
  if ([...text].length > mostFuzzy) return found.place.fault(`A fuzzy text has at most ${mostFuzzy} characters`)
  const pattern = near(storable(text), fuzziness, false)
  if (!place.spend({ length: fuzzyCost(pattern) })) return place.fault(tooMuchWork)
  return inFields(found.field, (field) =>
    anyOf([equalTo(field, [found.value], place.dates), { _tag: "Matches", field, pattern }])
  )
}

export const exists = (place: Place): Query | undefined => {
  const members = place.members(["field", "boost", "_name"])
  if (members === undefined) return undefined
  const inner = members.get("field")
  if (inner === undefined) return place.fault('"field" is missing')
  const name = inner.text()
  const known = name === undefined ? undefined : fieldOf(inner, name)
  return known === undefined ? undefined : inFields(known, (field) => ({ _tag: "Exists", field }))
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
        place.dates
      )
}
