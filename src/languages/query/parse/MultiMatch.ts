import { all, allOf, anyOf, type Query } from "../Query.ts"
import { wordsOf } from "../text/Words.ts"
import { type FieldClause, matched, phrased } from "./FullText.ts"
import { fuzzyIn, isAnd, isZero, type Members, minimumIn, onField, slopOf, textOf, wordOptions } from "./Match.ts"
import { checkIdle } from "./Options.ts"
import { fieldOf, type Place } from "./ValueReader.ts"

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

const types = ["best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"] as const
type Type = (typeof types)[number]

/** Options that only some types have. */
const only: Readonly<Record<string, ReadonlyArray<Type>>> = {
  slop: ["phrase", "phrase_prefix"],
  fuzziness: ["best_fields", "most_fields", "bool_prefix"]
}

const askedOf = (type: Type, text: string, members: Members, { dates }: Place): FieldClause | undefined => {
  const openEnd = type === "phrase_prefix" || type === "bool_prefix"
  if (type === "phrase" || type === "phrase_prefix") {
    const slop = slopOf(members.get("slop"))
    return slop === undefined ? undefined : phrased(text, { dates, openEnd, slop })
  }
  const fuzzy = fuzzyIn(members, wordsOf(text))
  if (fuzzy === "fault") return undefined
  return matched(text, { dates, openEnd, all: isAnd(members.get("operator")), minimum: minimumIn(members), fuzzy })
}

/** Each word may be in another field. */
const acrossFields = (
  fields: ReadonlyArray<string>,
  text: string,
  members: Members,
  place: Place
): Query | undefined => {
  const words = wordsOf(text)
  const least = isAnd(members.get("operator")) ? words.length : minimumIn(members)(words.length)
  if (least === undefined) return undefined
  const { dates } = place
  const found: Array<Query> = []
  for (const word of words) {
    const asked = matched(word, { dates, all: false, minimum: () => 1 })
    const somewhere = fields.map((field) => (asked === undefined ? undefined : onField(place, field, asked)))
    if (somewhere.some((one) => one === undefined)) return undefined
    found.push(anyOf(somewhere.filter((one) => one !== undefined)))
  }
  return least === found.length && least > 0 ? allOf(found) : anyOf(found, Math.max(1, least))
}

export const multiMatch = (place: Place): Query | undefined => {
  const known = ["query", "fields", "type", "analyzer", "zero_terms_query", "tie_breaker", "slop", "boost", "_name"]
  const members = place.members([...known, ...wordOptions])
  if (members === undefined) return undefined
  checkIdle(members)
  const text = textOf(members, place)
  const fields = fieldsOf(members.get("fields"))
  const given = members.get("type")
  const type = given === undefined ? "best_fields" : given.oneOf(types)
  if (text === undefined || type === undefined) return undefined
  for (const [name, having] of Object.entries(only)) {
    if (!having.includes(type)) members.get(name)?.fault(`This needs another type: ${having.join(", ")}`)
  }
  if (isZero(members, text)) return all
  if (type === "cross_fields") return acrossFields(fields, text, members, place)
  const asked = askedOf(type, text, members, place)
  if (asked === undefined) return undefined
  const found: Array<Query> = []
  for (const field of fields) {
    const one = onField(place, field, asked)
    if (one === undefined) return undefined
    found.push(one)
  }
  return anyOf(found)
}
