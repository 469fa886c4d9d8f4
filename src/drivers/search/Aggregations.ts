import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AggregationEngine, Group, GroupRequest } from "../../languages/query/aggregation/Grouping.ts"
import type { Query } from "../../languages/query/Query.ts"
import { timesOf } from "../../languages/query/Times.ts"
import { sqlState } from "../postgres/SqlState.ts"
import type { Part } from "./Catalog.ts"
import { notNumeric } from "./FieldValue.ts"
import { type GroupRow, type Manner, selectGroups, selectTimes } from "./Grouped.ts"
import { keyOf } from "./GroupKeys.ts"
import { fits, tooManyParts } from "./Groups.ts"
import { compacted } from "./Parameters.ts"
import { anyReadings, isOwn, type Readings } from "./Readings.ts"
import type { TooManyIndices } from "./Search.ts"

/** A value that is no number, or a number that a double cannot hold. */
const isMisread = (error: SqlError): boolean => [notNumeric, "22003"].includes(sqlState(error.reason.cause))

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

/** The ways to read the fields of a request, the quickest first. The last one is right for all documents. */
const mannersFor = ({ by, measures }: GroupRequest, readings: Readings): ReadonlyArray<Manner> => {
  const fields = [...by.filter(({ _tag }) => _tag === "terms"), ...measures].map(({ field }) => field)
  const careful = { readings: anyReadings, lists: true }
  if (fields.some((field) => readings(field) === "lists")) return [careful]
  const quick = { readings: anyReadings, lists: false }
  const isAssumed = fields.some((field) => !isOwn(field) && readings(field) !== "any")
  return isAssumed ? [{ readings, lists: false }, quick, careful] : [quick, careful]
}

/** Groups the documents of parts, in the transaction of the client. `readings` is a guess that may be wrong. */
export const engineOn = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  all: Query,
  readings: Readings
): AggregationEngine<SqlError | TooManyIndices> => {
  const within = timesOf(all)
  let assumed = readings
  /** The rows; undefined when they cannot be read in this manner. */
  const read = (
    request: GroupRequest,
    manner: Manner
  ): Effect.Effect<ReadonlyArray<GroupRow> | undefined, SqlError | TooManyIndices> => {
    const { statement, mayFail } = selectGroups(sql, parts, request, manner)
    if (!fits(statement)) return Effect.fail(tooManyParts(parts.length))
    const rows = Effect.map(compacted(sql, statement), (rows) => (rows[0]?.unsure === false ? rows : undefined))
    if (!mayFail) return rows
    return Effect.catchTag(sql.withTransaction(rows), "SqlError", (error) =>
      isMisread(error) ? Effect.undefined : Effect.fail(error)
    )
  }
  return {
    groups: Effect.fnUntraced(function* (request) {
      for (const manner of mannersFor(request, assumed)) {
        const rows = yield* read(request, manner)
        if (rows === undefined) {
          assumed = (field) => (readings(field) === "lists" ? "lists" : anyReadings(field))
          continue
        }
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
