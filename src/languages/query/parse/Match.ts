import * as Predicate from "effect/Predicate"
import { all as everything, inFields, type Query } from "../Query.ts"
import type { Fuzziness } from "../text/Fuzzy.ts"
import { wordsOf } from "../text/Words.ts"
import { minimumOf } from "./Bool.ts"
import { type FieldClause, fuzzyFault, matched, phrased } from "./FullText.ts"
import { checkIdle, fuzzinessOf, fuzzyNames } from "./Options.ts"
import { fieldOf, type Place, tooMuchWork } from "./ValueReader.ts"

export type Members = ReadonlyMap<string, Place>

const common = ["query", "analyzer", "zero_terms_query", "boost", "_name"]
export const wordOptions = [
  ...["operator", "minimum_should_match", "lenient", "auto_generate_synonyms_phrase_query"],
  ...fuzzyNames()
]

export const textOf = (members: Members, place: Place): string | undefined => {
  const given = members.get("query")
  if (given === undefined) return place.fault('"query" is missing')
  const value = given.scalar()
  return value === undefined ? undefined : String(value)
}

/** Whether an operator is `and`. */
export const isAnd = (place: Place | undefined): boolean => place?.oneOf(["or", "and"]) === "and"

/** How many of the words must match. */
export const minimumIn = (members: Members) => {
  const place = members.get("minimum_should_match")
  return (count: number): number | undefined => (place === undefined ? 1 : minimumOf(place, count))
}

/** The fuzziness that a clause asks for: undefined when it asks for none, `fault` when there is one. */
export const fuzzyIn = (members: Members, words: ReadonlyArray<string>): Fuzziness | "fault" | undefined => {
  const fuzziness = fuzzinessOf(members)
  if (fuzziness === undefined) return "fault"
  const given = members.get("fuzziness")
  if (given === undefined) return undefined
  const fault = fuzzyFault(words)
  if (fault === undefined) return fuzziness
  given.fault(fault)
  return "fault"
}

/** A slop that is larger than this is a matter of `match`. */
export const mostSlop = 1000

export const slopOf = (place: Place | undefined): number | undefined =>
  place === undefined ? 0 : place.count(mostSlop)

/** What a text without any word matches: all documents if the clause says so. */
export const isZero = (members: Members, text: string): boolean =>
  members.get("zero_terms_query")?.oneOf(["none", "all"]) === "all" && wordsOf(text).length === 0

/** The condition on one field, if there are not too many. */
export const onField = (place: Place, name: string, asked: FieldClause): Query | undefined =>
  place.spend(asked.cost, asked.cost.words) ? inFields(name, asked.of) : place.fault(tooMuchWork)

/** A clause `{ "<field>": text }` or `{ "<field>": { "query": text, … } }`. */
const clause =
  (names: ReadonlyArray<string>, ask: (text: string, members: Members, place: Place) => FieldClause | undefined) =>
  (place: Place): Query | undefined => {
    const [name, inner] = place.only("field") ?? []
    if (name === undefined || inner === undefined) return undefined
    const field = fieldOf(inner, name)
    const isShort = !Predicate.isObjectOrArray(inner.value)
    const members: Members | undefined = isShort ? new Map([["query", inner]]) : inner.members([...common, ...names])
    if (members === undefined) return undefined
    checkIdle(members)
    const text = textOf(members, inner)
    if (field === undefined || text === undefined) return undefined
    if (isZero(members, text)) return everything
    const asked = ask(text, members, inner)
    return asked === undefined ? undefined : onField(inner, field, asked)
  }

const words =
  (openEnd: boolean) =>
  (text: string, members: Members, { dates }: Place): FieldClause | undefined => {
    const fuzzy = fuzzyIn(members, wordsOf(text))
    if (fuzzy === "fault") return undefined
    return matched(text, { dates, openEnd, all: isAnd(members.get("operator")), minimum: minimumIn(members), fuzzy })
  }

const phrase =
  (openEnd: boolean) =>
  (text: string, members: Members, { dates }: Place): FieldClause | undefined => {
    const slop = slopOf(members.get("slop"))
    return slop === undefined ? undefined : phrased(text, { dates, openEnd, slop })
  }

export const match = clause(wordOptions, words(false))
export const matchBoolPrefix = clause(wordOptions, words(true))
export const matchPhrase = clause(["slop"], phrase(false))
export const matchPhrasePrefix = clause(["slop", "max_expansions"], phrase(true))
