import * as Predicate from "effect/Predicate"
import { allOf, anyOf, none, type Query } from "../Query.ts"
import { withAnyWord, withPhrase, wordsOf } from "../text/Words.ts"
import { minimumOf } from "./Bool.ts"
import { equalTo } from "./Terms.ts"
import { fieldOf, isNumber, type Place, tooMuchWork, valuesOf } from "./ValueReader.ts"

const equal = (field: string, values: ReadonlyArray<string>): ReadonlyArray<Query> => {
  const { numbers, booleans } = valuesOf(values)
  return numbers.length + booleans.length === 0
    ? []
    : [{ _tag: "Equals", field, values: { texts: [], numbers, booleans } }]
}

/**
 * Matches fields that contain one word of the text, all of them, or a minimum number. Numbers and booleans count as
 * words.
 */
export const matching = (
  field: string,
  text: string,
  all: boolean,
  minimum: (count: number) => number | undefined
): Query | undefined => {
  const trimmed = text.trim()
  const words = [...new Set(wordsOf(text))]
  const whole = isNumber(trimmed) ? [trimmed] : undefined
  if (words.length === 0) return none
  const one = (some: ReadonlyArray<string>): Query =>
    anyOf([
      { _tag: "Matches", field, pattern: withAnyWord(some) },
      ...equal(field, whole ?? some.map((word) => word.toLowerCase()))
    ])
  if (all) return allOf(words.map((word) => one([word])))
  const least = minimum(words.length)
  if (least === undefined) return undefined
  return least <= 1
    ? one(words)
    : anyOf(
        words.map((word) => one([word])),
        least
      )
}

/** Matches fields that contain the words of the text in sequence. */
export const phrased = (field: string, text: string): Query => {
  const words = wordsOf(text)
  if (words.length === 0) return none
  const value = text.trim().toLowerCase()
  return anyOf([
    { _tag: "Matches", field, pattern: withPhrase(words) },
    ...(words.length === 1 || isNumber(value) ? equal(field, [value]) : [])
  ])
}

/** Counts what {@link phrased} makes of a text. */
export const spendPhrase = (place: Place, text: string): boolean => place.spend(text, wordsOf(text).length)

const operator = (place: Place | undefined): boolean => place?.oneOf(["or", "and"]) === "and"

const query = (members: ReadonlyMap<string, Place>, place: Place): string | undefined => {
  const given = members.get("query")
  if (given === undefined) return place.fault('"query" is missing')
  const value = given.scalar()
  return value === undefined ? undefined : String(value)
}

const ranking = ["boost", "_name"]
const matchOptions = ["query", "operator", "minimum_should_match", "zero_terms_query", "lenient", ...ranking]

/** What a text without any word matches. */
const zeroTerms = (members: ReadonlyMap<string, Place>): "none" | "all" =>
  members.get("zero_terms_query")?.oneOf(["none", "all"]) ?? "none"

export const match = (place: Place): Query | undefined => {
  const [name, inner] = place.only("field") ?? []
  if (name === undefined || inner === undefined) return undefined
  const field = fieldOf(inner, name)
  if (!Predicate.isObjectOrArray(inner.value)) {
    const value = inner.scalar()
    if (field === undefined || value === undefined) return undefined
    if (!inner.spend(String(value))) return inner.fault(tooMuchWork)
    return field === "@timestamp" ? equalTo(field, [value], place.now) : matching(field, String(value), false, () => 1)
  }
  const members = inner.members(matchOptions)
  if (members === undefined) return undefined
  const text = query(members, inner)
  const minimum = members.get("minimum_should_match")
  members.get("lenient")?.flag()
  if (field === undefined || text === undefined) return undefined
  if (wordsOf(text).length === 0 && zeroTerms(members) === "all") return allOf([])
  if (!inner.spend(text)) return inner.fault(tooMuchWork)
  if (field === "@timestamp") return equalTo(field, [text], place.now)
  return matching(field, text, operator(members.get("operator")), (count) =>
    minimum === undefined ? 1 : minimumOf(minimum, count)
  )
}

export const matchPhrase = (place: Place): Query | undefined => {
  const [name, inner] = place.only("field") ?? []
  if (name === undefined || inner === undefined) return undefined
  const field = fieldOf(inner, name)
  if (!Predicate.isObjectOrArray(inner.value)) {
    const value = inner.scalar()
    if (field === undefined || value === undefined) return undefined
    return spendPhrase(inner, String(value)) ? phrased(field, String(value)) : inner.fault(tooMuchWork)
  }
  const members = inner.members(["query", "slop", "zero_terms_query", ...ranking])
  if (members === undefined) return undefined
  const slop = members.get("slop")
  if (slop !== undefined && slop.value !== 0) slop.fault("Only a slop of 0 is supported")
  const text = query(members, inner)
  if (field === undefined || text === undefined) return undefined
  if (wordsOf(text).length === 0 && zeroTerms(members) === "all") return allOf([])
  return spendPhrase(inner, text) ? phrased(field, text) : inner.fault(tooMuchWork)
}

/** Names of fields. Weights (`^2`) are ignored; without names it means all fields. */
export const fieldsOf = (place: Place | undefined): ReadonlyArray<string> => {
  if (place === undefined) return ["*"]
  const places = typeof place.value === "string" ? [place] : (place.list() ?? [])
  const fields = places.flatMap((one) => {
    const name = one.text()?.replace(/\^\d+(\.\d+)?$/, "")
    return name === undefined ? [] : (fieldOf(one, name) ?? [])
  })
  return fields.length === 0 ? ["*"] : [...new Set(fields)]
}

const types = ["best_fields", "most_fields", "phrase", "cross_fields", "bool_prefix", "phrase_prefix"] as const

export const multiMatch = (place: Place): Query | undefined => {
  const members = place.members(["fields", "type", "tie_breaker", ...matchOptions])
  if (members === undefined) return undefined
  const text = query(members, place)
  const fields = fieldsOf(members.get("fields"))
  const type = members.get("type")?.oneOf(types) ?? "best_fields"
  if (type !== "best_fields" && type !== "most_fields" && type !== "phrase") {
    return members.get("type")?.fault("Expected best_fields, most_fields or phrase")
  }
  const minimum = members.get("minimum_should_match")
  const all = operator(members.get("operator"))
  if (text === undefined) return undefined
  if (wordsOf(text).length === 0 && zeroTerms(members) === "all") return allOf([])
  const spend = type === "phrase" ? spendPhrase : (place: Place, text: string) => place.spend(text)
  // Before anything is made of the text, as there may be many fields.
  if (!fields.every(() => spend(place, text))) return place.fault(tooMuchWork)
  const found = fields.flatMap(
    (field) =>
      (type === "phrase"
        ? phrased(field, text)
        : matching(field, text, all, (count) => (minimum === undefined ? 1 : minimumOf(minimum, count)))) ?? []
  )
  return anyOf(found)
}
