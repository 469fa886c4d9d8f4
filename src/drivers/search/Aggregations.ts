import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { TermKey } from "../../languages/query/aggregation/Aggregation.ts"
import type { AggregationEngine, Group, GroupKey, GroupRequest } from "../../languages/query/aggregation/Grouping.ts"
import type { Query } from "../../languages/query/Query.ts"
import { original } from "../../languages/query/StoredText.ts"
import { timesOf } from "../../languages/query/Times.ts"
import { sqlState } from "../postgres/SqlState.ts"
import type { Part } from "./Catalog.ts"
import { type GroupRow, selectGroups, selectTimes } from "./Grouped.ts"
import { fits, tooManyParts } from "./Groups.ts"
import { compacted } from "./Parameters.ts"
import type { TooManyIndices } from "./Search.ts"

/** A number that a double cannot hold. */
const isOutOfRange = (error: SqlError): boolean => sqlState(error.reason.cause) === "22003"

const keyOf = (row: GroupRow, at: number): GroupKey => {
  const [type, text] = [row[`t${at}`], String(row[`s${at}`])]
  if (type === "time") return Number(text) - 1
  if (type === "number") return { _tag: "number", digits: text } satisfies TermKey
  return type === "boolean" ? { _tag: "boolean", value: text === "true" } : { _tag: "text", text: original(text) }
}

const valueOf = (value: unknown): Group["values"][number] => {
  if (Array.isArray(value)) return value.map((one: unknown) => (typeof one === "number" ? one : null))
  return typeof value === "number" ? value : null
}

const groupOf =
  ({ by, measures }: GroupRequest) =>
  (row: GroupRow): Group => ({
    keys: by.map((_, at) => keyOf(row, at)),
    documents: row.n ?? 0,
    total: row.total ?? 0,
    values: measures.map((_, at) => valueOf(row[`m${at}`]))
  })

/** Groups the documents of parts, in the transaction of the client. */
export const engineOn = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  all: Query
): AggregationEngine<SqlError | TooManyIndices> => {
  const within = timesOf(all)
  const read = (
    request: GroupRequest,
    careful: boolean
  ): Effect.Effect<ReadonlyArray<GroupRow>, SqlError | TooManyIndices> => {
    const statement = selectGroups(sql, parts, request, careful)
    return fits(statement) ? sql.withTransaction(compacted(sql, statement)) : Effect.fail(tooManyParts(parts.length))
  }
  return {
    groups: Effect.fnUntraced(function* (request) {
      const quick = yield* Effect.catchTag(read(request, false), "SqlError", (error) =>
        isOutOfRange(error) ? Effect.succeed<ReadonlyArray<GroupRow>>([]) : Effect.fail(error)
      )
      const isRight = quick.length > 0 && quick[0]?.lists === false
      const rows = isRight ? quick : yield* read(request, true)
      return rows
        .filter(({ n }) => n !== null)
        .sort((a, b) => (a.place ?? 0) - (b.place ?? 0))
        .map(groupOf(request))
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
