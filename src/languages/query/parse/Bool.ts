import * as Predicate from "effect/Predicate"
import { allOf, type Query } from "../Query.ts"
import type { Place } from "./ValueReader.ts"

export type ParseClause = (place: Place) => Query | undefined

/**
 * How many of `count` clauses must match: a number, a negative number (all but so many), a percentage rounded down, or
 * conditions such as `2<75%`.
 */
export const minimumOf = (place: Place, count: number): number | undefined => {
  const given = typeof place.value === "number" || typeof place.value === "string" ? String(place.value) : ""
  const text = given.trim().replace(/\s*<\s*/g, "<")
  const simple = (part: string): number | undefined => {
    const found = /^(-?\d{1,9})(%?)$/.exec(part)
    if (found === null) return undefined
    const amount = Number(found[1])
    const least = found[2] === "" ? amount : Math.trunc((amount * count) / 100)
    return Math.max(0, amount < 0 ? count + least : least)
  }
  const conditions = text.split(/\s+/).map((part) => /^(\d{1,9})<(-?\d{1,9}%?)$/.exec(part))
  if (conditions.every((condition) => condition !== null)) {
    let least: number | undefined = count
    for (const [, beyond, then = ""] of conditions) {
      // As in Elasticsearch, the first condition that does not hold ends the list.
      if (count <= Number(beyond)) break
      least = simple(then)
    }
    return least
  }
  return simple(text) ?? place.fault("Expected a number, a percentage, or conditions such as 2<75%")
}

/** One clause, or a list of them. */
const clauses = (place: Place | undefined, parse: ParseClause): ReadonlyArray<Query> => {
  if (place === undefined) return []
  const places = Predicate.isObject(place.value) ? [place] : (place.list() ?? [])
  return places.flatMap((one) => parse(one) ?? [])
}

export const bool = (place: Place, parse: ParseClause): Query | undefined => {
  const members = place.members(["must", "filter", "should", "must_not", "minimum_should_match", "boost", "_name"])
  if (members === undefined) return undefined
  const must = [...clauses(members.get("must"), parse), ...clauses(members.get("filter"), parse)]
  const should = clauses(members.get("should"), parse)
  const mustNot = clauses(members.get("must_not"), parse)
  const given = members.get("minimum_should_match")
  // Next to required clauses, a `should` only affects the ranking, which does not exist here. Without them one has to
  // match, whatever the minimum is.
  const least = must.length === 0 && should.length > 0 ? 1 : 0
  const asked = given === undefined ? least : minimumOf(given, should.length)
  if (asked === undefined) return undefined
  const minimum = Math.max(asked, least)
  if (should.length === 0 && minimum === 0 && mustNot.length === 0) return allOf(must)
  return { _tag: "Bool", must, should: minimum === 0 ? [] : should, mustNot, minimum }
}

export const constantScore = (place: Place, parse: ParseClause): Query | undefined => {
  const members = place.members(["filter", "boost", "_name"])
  if (members === undefined) return undefined
  const filter = members.get("filter")
  return filter === undefined ? place.fault('"filter" is missing') : parse(filter)
}
