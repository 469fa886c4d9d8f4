import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type IndexInfo, latest } from "../../../languages/query/IndexedDocument.ts"
import { indicesOf, type Part, partsOf, tableOf } from "./Catalog.ts"

/**
 * Larger parts (in bytes) are not counted; their number of documents is PostgreSQL's estimate. After a crash that is
 * the estimate of the last ANALYZE.
 */
const counted = 2 ** 28

interface Known {
  readonly documents: number
  readonly bytes: number
  readonly from: string | null
  readonly to: string | null
}

const look = (sql: SqlClient.SqlClient, { part }: Part) => {
  const table = sql(tableOf(part))
  const name = tableOf(part)
  return sql<Known>`
    select
      case when pg_relation_size(${name}::regclass) > ${counted}::bigint
        then coalesce(
          nullif(pg_stat_get_live_tuples(${name}::regclass), 0),
          (select nullif(greatest(reltuples, 0), 0)::bigint from pg_class where oid = ${name}::regclass),
          (select count(*) from ${table}))
        else (select count(*) from ${table}) end::float8 as documents,
      pg_total_relation_size(${name}::regclass)::float8 as bytes,
      (select min(ts) from ${table} where ts < ${latest}::bigint)::text as from,
      (select max(ts) from ${table} where ts < ${latest}::bigint)::text as to`
}

const date = (millis: number): string => new Date(millis).toISOString()

/** Number of documents, size and time range of each of a tenant's indices. */
export const overview = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: string) {
  const indices = yield* indicesOf(sql, tenant)
  const parts = yield* partsOf(
    sql,
    tenant,
    indices.map(({ no }) => no)
  )
  const known = yield* Effect.forEach(
    parts,
    (part) => Effect.map(look(sql, part), ([row]) => ({ no: part.no, ...row })),
    { concurrency: 2 }
  )
  return indices.map(({ name, no }): IndexInfo => {
    const own = known.filter((part) => part.no === no)
    const sum = (of: "documents" | "bytes") => own.reduce((total, part) => total + (part[of] ?? 0), 0)
    const times = own
      .flatMap(({ from, to }) => [from, to])
      .filter((time) => typeof time === "string")
      .map(Number)
    return {
      name,
      documents: sum("documents"),
      bytes: sum("bytes"),
      from: times.length === 0 ? null : date(Math.min(...times)),
      to: times.length === 0 ? null : date(Math.max(...times))
    }
  })
})
