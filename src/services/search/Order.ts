import { Effect, Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { SortedHit } from "../../drivers/search/Search.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { readRaw } from "../../languages/json/JsonNumbers.ts"
import type { Aggregation } from "../../languages/query/aggregation/Aggregation.ts"
import { parseAggregations } from "../../languages/query/aggregation/AggregationParser.ts"
import {
  newestFirst,
  parseSearchAfter,
  parseSort,
  type SortKey,
  type SortPosition,
  type SortValue,
  sortLimits
} from "../../languages/query/Sort.ts"
import type { SearchRequest } from "./SearchRequest.ts"

/** The order that a request asks for, and its page. */
export interface Order {
  readonly sort: ReadonlyArray<SortKey>
  readonly from: number
  readonly limit: number
  readonly after: SortPosition | undefined
}

const refuse = (issues: ReadonlyArray<Issue>) =>
  new BadRequest({
    detail: "The search request is invalid",
    issues: issues.map((issue) => ({ part: "body", ...issue }))
  })

const fault = (pointer: string, detail: string): Issue => ({ pointer, detail })

const Cursor = Schema.fromJsonString(
  Schema.Tuple([Schema.Literal("sorted"), Schema.String, Schema.String, Schema.String])
)

const jsonOf = (value: SortValue): string => {
  if (value === null) return "null"
  return value._tag === "number" ? value.digits : JSON.stringify(value._tag === "text" ? value.text : value.value)
}

/** The values that order a document, as JSON. */
export const sortText = (sort: ReadonlyArray<SortValue>): string => `[${sort.map(jsonOf).join(",")}]`

export const encodeSorted = ({ sort, id, index }: SortedHit): string =>
  Base64Url.encode(JSON.stringify(["sorted", sortText(sort), id, index]))

const afterCursor = (cursor: string, keys: number): SortPosition | undefined => {
  const decoded = Result.flatMap(Base64Url.decodeString(cursor), Schema.decodeUnknownResult(Cursor))
  if (Result.isFailure(decoded)) return undefined
  const [, sort, id, index] = decoded.success
  const read = Result.try((): unknown => readRaw(sort))
  const values = Result.flatMap(read, (found) => parseSearchAfter(found, keys, ""))
  return Result.isSuccess(values) ? { values: values.success, id, index } : undefined
}

/** The order of a request; undefined for that of the index, by `@timestamp`. */
export const orderOf = (request: SearchRequest): Effect.Effect<Order | undefined, BadRequest> => {
  const { sort, size, from = 0, limit, cursor, search_after } = request
  // By Elasticsearch's words the newest documents come first.
  const isPlain = limit !== undefined || (request.aggs ?? request.aggregations) === undefined
  if (sort === undefined && size === undefined && request.from === undefined && search_after === undefined && isPlain) {
    return Effect.undefined
  }
  const parsed = sort === undefined ? Result.succeed(newestFirst) : parseSort(sort, "/sort")
  if (Result.isFailure(parsed)) return refuse(parsed.failure)
  const keys = parsed.success
  const issues: Array<Issue> = []
  if (size !== undefined && limit !== undefined) issues.push(fault("/limit", "Expected either size or limit"))
  const most = size ?? limit ?? 100
  if (from + most > sortLimits.window) {
    issues.push(
      fault(`/from`, `from and size reach at most the first ${sortLimits.window} documents: use cursor or search_after`)
    )
  }
  if (from > 0 && (cursor !== undefined || search_after !== undefined)) {
    issues.push(fault(`/from`, "Expected 0 beside cursor and search_after"))
  }
  if (cursor !== undefined && search_after !== undefined) {
    issues.push(fault("/cursor", "Expected either cursor or search_after"))
  }
  const given = search_after === undefined ? undefined : parseSearchAfter(search_after, keys.length, "/search_after")
  if (given !== undefined && Result.isFailure(given)) issues.push(...given.failure)
  const values = given !== undefined && Result.isSuccess(given) ? { values: given.success } : undefined
  const after = cursor === undefined ? values : afterCursor(cursor, keys.length)
  if (cursor !== undefined && after === undefined) {
    issues.push(fault("/cursor", "Expected the cursor of a page with the same sort"))
  }
  return issues.length > 0 ? refuse(issues) : Effect.succeed({ sort: keys, from, limit: most, after })
}

/** The aggregations of a request. */
export const aggregationsOf = (
  { aggs, aggregations }: SearchRequest,
  now: number
): Effect.Effect<ReadonlyArray<Aggregation> | undefined, BadRequest> => {
  const given = aggs ?? aggregations
  if (given === undefined) return Effect.undefined
  if (aggs !== undefined && aggregations !== undefined) {
    return refuse([fault("/aggregations", "Expected either aggs or aggregations")])
  }
  const parsed = parseAggregations(given, now, aggs === undefined ? "/aggregations" : "/aggs")
  return Result.isSuccess(parsed) ? Effect.succeed(parsed.success) : refuse(parsed.failure)
}
