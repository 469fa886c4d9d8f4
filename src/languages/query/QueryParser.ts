import { Predicate, Result } from "effect"
import type { Issue } from "../Issue.ts"
import { listed, suggestion } from "../Suggest.ts"
import { expressionsOf } from "./Merge.ts"
import { bool, type ParseClause } from "./parse/Bool.ts"
import { match, matchPhrase, multiMatch } from "./parse/Match.ts"
import { queryString, simpleQueryString } from "./parse/QueryString.ts"
import { range } from "./parse/Range.ts"
import { exists, ids, prefix, term, terms, wildcards } from "./parse/Terms.ts"
import { limits, Place } from "./parse/ValueReader.ts"
import { all, none, type Query } from "./Query.ts"

const clauses: ReadonlyMap<string, (place: Place) => Query | undefined> = new Map([
  ["match_all", (place) => (place.members(["boost", "_name"]) === undefined ? undefined : all)],
  ["match_none", (place) => (place.members(["boost", "_name"]) === undefined ? undefined : none)],
  ["bool", (place) => bool(place, clause)],
  ["match", match],
  ["match_phrase", matchPhrase],
  ["multi_match", multiMatch],
  ["term", term],
  ["terms", terms],
  ["range", range],
  ["exists", exists],
  ["prefix", prefix],
  ["wildcard", wildcards],
  ["ids", ids],
  ["query_string", queryString],
  ["simple_query_string", simpleQueryString]
])

const clause: ParseClause = (place) => {
  if (!place.enter()) return undefined
  const [name, inner] = place.only("clause") ?? []
  if (name === undefined || inner === undefined) return undefined
  const parse = clauses.get(name)
  if (parse !== undefined) return parse(inner)
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
