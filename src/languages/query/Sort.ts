import { Predicate, Result } from "effect"
import type { Issue } from "../Issue.ts"
import type { TermKey } from "./aggregation/Aggregation.ts"
import { keyOf } from "./aggregation/AggregationParser.ts"
import { fieldOf, isNumber, Place } from "./parse/ValueReader.ts"

/** One key of an order: numbers come before texts, these before booleans; documents without a value last or first. */
export interface SortKey {
  readonly field: string
  readonly descending: boolean
  readonly missingFirst: boolean
}

/** The value of a document that orders it; null for none. Of a list it is the value that comes first. */
export type SortValue = TermKey | null

/** The position of a document in an order. Without `id`, documents with equal values come before it. */
export interface SortPosition {
  readonly values: ReadonlyArray<SortValue>
  readonly id?: string
  readonly index?: string
}

/** Keys of a sort, and documents that `from` and `size` can reach. */
export const sortLimits = { keys: 8, window: 10_000 }

/** The order of a search by Elasticsearch's words: newest first. */
export const newestFirst: ReadonlyArray<SortKey> = [{ field: "@timestamp", descending: true, missingFirst: false }]

const sortKey = (place: Place): SortKey | undefined => {
  if (typeof place.value === "string") return keyNamed(place, place.value, undefined)
  const [name, settings] = place.only("field") ?? []
  return name === undefined || settings === undefined ? undefined : keyNamed(settings, name, settings)
}

const keyNamed = (place: Place, name: string, settings: Place | undefined): SortKey | undefined => {
  if (name === "_score" || name === "_doc") {
    return place.fault(`There is no ${name} here, as there is no ranking: sort by a field, or leave sort out`)
  }
  const field = fieldOf(place, name)
  const isShort = settings === undefined || !Predicate.isObject(settings.value)
  const members = isShort ? undefined : settings.members(["order", "missing", "unmapped_type", "mode"])
  const given = isShort ? settings : members?.get("order")
  const order = given === undefined ? "asc" : given.oneOf(["asc", "desc"])
  const place_ = members?.get("missing")
  const missing = place_ === undefined ? "_last" : place_.oneOf(["_first", "_last"])
  const mode = members?.get("mode")
  const isUsual = mode === undefined || mode.value === (order === "desc" ? "max" : "min")
  if (!isUsual) mode.fault("Of a list, the value that comes first in the order counts: leave mode out")
  if (field === undefined || order === undefined || missing === undefined) return undefined
  if (!isShort && members === undefined) return undefined
  return { field, descending: order === "desc", missingFirst: missing === "_first" }
}

/** Parses Elasticsearch's `sort`: a field, an object such as `{ "bytes": "desc" }`, or a list of these. */
export const parseSort = (
  value: unknown,
  pointer: string
): Result.Result<ReadonlyArray<SortKey>, ReadonlyArray<Issue>> => {
  const place = new Place(value, 0, pointer)
  const places = Array.isArray(value) ? (place.list() ?? []) : [place]
  if (places.length === 0 || places.length > sortLimits.keys) place.fault(`Expected 1 to ${sortLimits.keys} fields`)
  const keys = places.slice(0, sortLimits.keys).flatMap((one) => sortKey(one) ?? [])
  return place.issues.length > 0 ? Result.fail(place.issues) : Result.succeed(keys)
}

/** Parses `search_after`: the values of `sort` of a hit. */
export const parseSearchAfter = (
  value: unknown,
  keys: number,
  pointer: string
): Result.Result<ReadonlyArray<SortValue>, ReadonlyArray<Issue>> => {
  if (!Array.isArray(value) || value.length !== keys) {
    return Result.fail([
      { pointer, detail: `Expected a list of ${keys} ${keys === 1 ? "value" : "values"}: "sort" of a hit` }
    ])
  }
  const found = value.map((one: unknown): SortValue | undefined => (one === null ? null : keyOf(one)))
  const wrong = found.findIndex((one) => one === undefined || (one?._tag === "number" && !isNumber(one.digits)))
  return wrong === -1
    ? Result.succeed(found.map((one) => one ?? null))
    : Result.fail([{ pointer: `${pointer}/${wrong}`, detail: "Expected a text, a number, a boolean or null" }])
}
