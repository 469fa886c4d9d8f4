import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import { namesIn } from "../../../languages/query/FieldNames.ts"
import { originalJson } from "../../../languages/query/StoredText.ts"
import { sqlState } from "../../postgres/SqlState.ts"
import { type Part, tableOf } from "../indices/Catalog.ts"
import type { MissingFields } from "../Search.ts"
import { compacted } from "../statements/CompactStatement.ts"
import { rawAt } from "../statements/FieldValue.ts"
import { fits } from "./PartGroups.ts"
import { isOwn } from "./Readings.ts"

/** Documents of a part whose fields may be meant, and the largest of them in bytes. */
const looked = { documents: 50, bytes: 16 * 1024 }

/** How long the search for a value may take. */
const patience = "2s"

/** It is not known that a field is missing. */
export const noneMissing: MissingFields = { missing: [], known: [] }

/** The search for a value took too long. */
export const isOverdue = (error: unknown): error is SqlError =>
  error instanceof SqlError && sqlState(error.reason.cause) === "57014"

/** Which of these fields has no document of any part, and which fields some documents have. Stops at the first value. */
export const missingIn = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  fields: ReadonlyArray<string>
) {
  const asked = [...new Set(fields)].filter((field) => !isOwn(field))
  if (asked.length === 0) return noneMissing
  const has = asked.map((field, at) => {
    const any = parts.map(
      ({ part, index }) => sql`exists (select from ${sql(tableOf(part))}
        where coalesce(jsonb_typeof(${rawAt(sql, field, index)}), 'null') <> 'null')`
    )
    return sql`(${sql.or(any)}) as ${sql.literal(`f${at}`)}`
  })
  const statement = sql<Readonly<Record<string, boolean>>>`select ${sql.csv(has)}`
  if (!fits(statement)) return noneMissing
  yield* sql`select set_config('statement_timeout', ${patience}, true)`
  const [found] = yield* compacted(sql, statement)
  const missing = asked.filter((_, at) => found?.[`f${at}`] === false)
  if (missing.length === 0) return noneMissing
  const some = [...new Set([parts[0], parts.at(-1)])].flatMap((part) => part ?? [])
  const documents = some.map(
    ({ part }) => sql`(select doc::text as doc from ${sql(tableOf(part))}
      where pg_column_size(doc) <= ${looked.bytes}::integer limit ${looked.documents}::bigint)`
  )
  const rows = yield* compacted(sql, sql<{ doc: string }>`${sql.join(" union all ", false)(documents)}`)
  return {
    missing,
    known: namesIn(rows.map(({ doc }): unknown => JSON.parse(originalJson(doc))))
  } satisfies MissingFields
})
