import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Hit, Key, RowsOptions } from "../../services/search/Document.ts"
import type { Query } from "../../services/search/Query.ts"
import { original, originalJson, storable } from "../../services/search/Storable.ts"
import { monthOf, type Part, partsOf, resolve, tableOf } from "./Catalog.ts"
import { where } from "./Where.ts"

/** A condition on what stands after a key, for documents of an index. */
const following = (sql: SqlClient.SqlClient, index: string, after: Key | undefined): Fragment => {
  if (after === undefined) return sql`true`
  return index > after.index
    ? sql`(ts, id) >= (${after.at}::bigint, ${storable(after.id)})`
    : sql`(ts, id) > (${after.at}::bigint, ${storable(after.id)})`
}

/** Whether a part can have documents after the key: those of earlier months cannot. */
const mayFollow = (part: Part, after: Key | undefined): boolean =>
  after === undefined || part.month === "" || monthOf(after.at) === "" || part.month >= monthOf(after.at)

/** The parts that a search looks into. */
export const partsFor = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: string,
  pattern: string,
  after?: Key
) {
  const indices = yield* resolve(sql, tenant, pattern)
  if (indices.length === 0) return []
  const parts = yield* partsOf(
    sql,
    tenant,
    indices.map(({ no }) => no)
  )
  return parts.filter((part) => mayFollow(part, after))
})

/** One SELECT over all parts, in the order of results. `columns` of a part's row come first. */
export const select = <A extends object>(
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  query: Query,
  columns: (part: Part) => Fragment,
  { after, limit }: { readonly after?: Key | undefined; readonly limit?: number }
) => {
  const condition = where(sql, query)
  const one = (part: Part) => sql`
    select ${columns(part)} from ${sql(tableOf(part.part))}
    where ${following(sql, part.index, after)} and ${condition}`
  const limited = limit === undefined ? sql`` : sql`limit ${limit}::bigint`
  const [only] = parts
  // An index that is named only once needs no place in the order.
  if (only !== undefined && parts.length === 1) return sql<A>`${one(only)} order by ts, id ${limited}`
  return sql<A>`
    select * from (${sql.join(" union all ", false)(parts.map(one))}) as found order by ts, id, index ${limited}`
}

export const hitColumns = (sql: SqlClient.SqlClient) => (part: Part) =>
  sql`ts, id, ${part.index}::text collate "C" as index, doc::text as doc`

export interface HitRow {
  readonly ts: string | bigint
  readonly id: string
  readonly index: string
  readonly doc: string
}

export const hitOf = (row: HitRow): Hit => ({
  at: String(row.ts),
  id: original(row.id),
  index: row.index,
  source: originalJson(row.doc)
})

/** The value of a dotted field name in a document: the first way of cutting the name that leads to one. */
const valueAt = (sql: SqlClient.SqlClient, field: string, as: RowsOptions["as"]): Fragment => {
  const parts = field.split(".").map(storable)
  const ways = parts.length === 1 ? [parts] : [parts, [parts.join(".")]]
  const one = (way: ReadonlyArray<string>) => {
    const [name] = way
    if (way.length === 1) return as === "text" ? sql`doc ->> ${name}` : sql`(doc -> ${name})::text`
    return as === "text" ? sql`doc #>> ${way}::text[]` : sql`(doc #> ${way}::text[])::text`
  }
  return ways.length === 1 ? one(ways[0]!) : sql`coalesce(${sql.csv(ways.map(one))})`
}

export const rowColumns =
  (sql: SqlClient.SqlClient, { fields, as }: RowsOptions) =>
  (part: Part): Fragment =>
    sql`ts, id, ${part.index}::text collate "C" as index${sql.join(
      "",
      false
    )(fields.map((field, index) => sql`, ${valueAt(sql, field, as)} as ${sql(`f${index}`)}`))}`
