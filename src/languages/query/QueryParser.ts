import { Predicate, Result } from "effect"
import type { Issue } from "../Issue.ts"
import { listed, suggestion } from "../Suggest.ts"
import { expressionsOf } from "./Merge.ts"
import { bool, constantScore, type ParseClause } from "./parse/Bool.ts"
import { match, matchBoolPrefix, matchPhrase, matchPhrasePrefix } from "./parse/Match.ts"
import { multiMatch } from "./parse/MultiMatch.ts"
import { queryString, simpleQueryString } from "./parse/QueryString.ts"
import { range } from "./parse/Range.ts"
import { exists, fuzzy, ids, prefix, regexp, term, terms, wildcards } from "./parse/Terms.ts"
import { limits, Place } from "./parse/ValueReader.ts"
import { all, none, type Query } from "./Query.ts"

const clauses: ReadonlyMap<string, (place: Place) => Query | undefined> = new Map([
  ["match_all", (place) => (place.members(["boost", "_name"]) === undefined ? undefined : all)],
  ["match_none", (place) => (place.members(["boost", "_name"]) === undefined ? undefined : none)],
  ["bool", (place) => bool(place, clause)],
  ["constant_score", (place) => constantScore(place, clause)],
  ["match", match],
  ["match_phrase", matchPhrase],
  ["match_phrase_prefix", matchPhrasePrefix],
  ["match_bool_prefix", matchBoolPrefix],
  ["multi_match", multiMatch],
  ["term", term],
  ["terms", terms],
  ["range", range],
  ["exists", exists],
  ["prefix", prefix],
  ["wildcard", wildcards],
  ["regexp", regexp],
  ["fuzzy", fuzzy],
  ["ids", ids],
  ["query_string", queryString],
  ["simple_query_string", simpleQueryString]
])

/** What to use in place of Elasticsearch's other clauses. */
const instead: ReadonlyMap<string, string> = new Map([
  ["dis_max", "use bool with should"],
  ["boosting", "use bool with the positive clause, as there is no ranking"],
  ["function_score", "use its query alone, as there is no ranking"],
  ["script_score", "use its query alone, as there is no ranking"],
  ["nested", "use its query alone, as a field path leads through lists"],
  ["combined_fields", "use multi_match with the type cross_fields"],
  ["terms_set", "use bool with should and minimum_should_match"],
  ["intervals", "use match_phrase with slop"],
  ["span_near", "use match_phrase with slop"],
  ["span_term", "use match"],
  ["script", "use a filter node in a flowline that reads the index"]
])

const clause: ParseClause = (place) => {
  if (!place.enter()) return undefined
  const [name, inner] = place.only("clause") ?? []
  if (name === undefined || inner === undefined) return undefined
  const parse = clauses.get(name)
  if (parse !== undefined) return parse(inner)
  const cure = instead.get(name)
  if (cure !== undefined) return inner.fault(`The clause ${JSON.stringify(name)} is not supported: ${cure}`)
  const known = [...clauses.keys()]
  return inner.fault(
    `Unknown clause ${JSON.stringify(name)}${suggestion(name, known) || `; there is ${listed(known)}`}`
  )
}

/**
 * Parses an Elasticsearch query. The empty object matches all documents.
 *
 * @param now epoch milliseconds of `now` in date math @returns the query, or all its faults, with JSON pointers below
 * `pointer`
 */
export const parseQuery = (value: unknown, now: number, pointer = ""): Result.Result<Query, ReadonlyArray<Issue>> => {
  if (Predicate.isObject(value) && Object.keys(value).length === 0) return Result.succeed(all)
  const place = new Place(value, now, pointer)
  const query = clause(place)
  if (query !== undefined && place.issues.length === 0) {
    const count = expressionsOf(query)
    if (count <= limits.expressions) return Result.succeed(query)
    place.fault(
      `Each document would be compared with ${count} patterns, words or phrases that do not merge; at most ${limits.expressions} can be`
    )
  }
  return Result.fail(place.issues.length > 0 ? place.issues : [{ pointer, detail: "The query is invalid" }])
}
