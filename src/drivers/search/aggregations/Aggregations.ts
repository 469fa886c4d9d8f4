import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { aggregate } from "../../../languages/query/aggregation/Aggregate.ts"
import { type Aggregation, fieldsOf } from "../../../languages/query/aggregation/Aggregation.ts"
import type { AggregationEngine, Group, GroupRequest } from "../../../languages/query/aggregation/Grouping.ts"
import type { Query } from "../../../languages/query/Query.ts"
import { timesOf } from "../../../languages/query/Times.ts"
import type { Part } from "../indices/Catalog.ts"
import type { TypedPart } from "../indices/PartTypes.ts"
import { fits, tooManyParts } from "../reading/PartGroups.ts"
import { anyReadings, isOwn, type Readings, readingsOf } from "../reading/Readings.ts"
import type { TooManyIndices } from "../Search.ts"
import { compacted } from "../statements/CompactStatement.ts"
import { keyOf } from "./GroupKeys.ts"
import { type GroupRow, type ReadManner, selectGroups, selectTimes } from "./SelectGroups.ts"

const valueOf = (value: unknown): Group["values"][number] => {
  if (Array.isArray(value)) return value.map((one: unknown) => (typeof one === "number" ? one : null))
  return typeof value === "number" ? value : null
}

const groupOf =
  ({ by, measures }: GroupRequest) =>
  (row: GroupRow): Group => ({
    keys: by.map((_, at) => keyOf(row[`t${at}`], String(row[`s${at}`]))),
    documents: row.n ?? 0,
    total: row.total ?? 0,
    values: measures.map((_, at) => valueOf(row[`m${at}`]))
  })

/** The ways to read documents, the quickest first. When one fails, the next one is tried. */
export type MannerName = "assumed" | "typed" | "careful"

/** The ways to read the fields of a request. The last one is right for all documents. */
const mannersFor = (
  { by, measures }: GroupRequest,
  readings: Readings,
  first: MannerName
): ReadonlyArray<ReadManner> => {
  const fields = [...by.filter(({ _tag }) => _tag === "terms"), ...measures].map(({ field }) => field)
  const careful = { readings: anyReadings, lists: true }
  if (first === "careful" || fields.some((field) => readings.of(field) === "lists")) return [careful]
  const typed = { readings: anyReadings, lists: false }
  const isAssumed = first === "assumed" && fields.some((field) => !isOwn(field) && readings.of(field) !== "any")
  return isAssumed ? [{ readings, lists: false }, typed, careful] : [typed, careful]
}

/** Groups the documents of parts, in the transaction of the client. `readings` is a guess that may be wrong. */
const engineOn = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  all: Query,
  readings: Readings,
  first: MannerName
): AggregationEngine<SqlError | TooManyIndices> => {
  const within = timesOf(all)
  let assumed = readings
  return {
    groups: Effect.fnUntraced(function* (request) {
      for (const manner of mannersFor(request, assumed, first)) {
        const statement = selectGroups(sql, parts, request, manner)
        if (!fits(statement)) return yield* tooManyParts(parts.length)
        const rows = yield* compacted(sql, statement)
        if (rows[0]?.unsure !== false) {
          // The assumption that failed in one statement would fail in the next ones.
          assumed = {
            ...anyReadings,
            of: (field) => (readings.of(field) === "lists" ? "lists" : anyReadings.of(field))
          }
          continue
        }
        if (rows[0].large) return undefined
        return rows
          .filter(({ n }) => n !== null)
          .sort((a, b) => (a.place ?? 0) - (b.place ?? 0))
          .map(groupOf(request))
      }
      return yield* Effect.die(new Error("Documents that are read with their lists are read for sure"))
    }),
    times: Effect.fnUntraced(function* (query, field) {
      const [row] = yield* compacted(sql, selectTimes(sql, parts, query, field))
      if (row === undefined || row.first === null || row.last === null) return undefined
      if (field !== "@timestamp") return { from: row.first, to: row.last }
      const from = Math.max(row.first, within.from)
      const to = Math.min(row.last, within.to)
      return from > to ? undefined : { from, to }
    })
  }
}

/**
 * The answers of aggregations, in the transaction of the client. All but the `careful` manner may fail because of values
 * that are not what they were assumed to be, see `orElse`.
 */
export const readAggregations = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<TypedPart>,
  query: Query,
  aggregations: ReadonlyArray<Aggregation>,
  manner: MannerName
) {
  const readings = yield* readingsOf(sql, parts, fieldsOf(aggregations))
  return yield* aggregate(engineOn(sql, parts, query, readings, manner), query, aggregations)
})
