import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { cuts } from "../../../languages/query/FieldName.ts"
import { latest } from "../../../languages/query/IndexedDocument.ts"
import { storable } from "../../../languages/query/StoredText.ts"
import { listedPath } from "./JsonPath.ts"

const waysOf = (field: string) => cuts(field.split(".").map(storable))

const valueAt = (sql: SqlClient.SqlClient, way: ReadonlyArray<string>): Fragment =>
  way.length === 1 ? sql`doc -> ${way[0]}::text` : sql`doc #> ${way}::text[]`

/** The values in the lists on the way to a field, as a list; null when there are none. */
const listedAt = (sql: SqlClient.SqlClient, ways: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Fragment> =>
  ways
    .filter(({ length }) => length > 1)
    .map((way) => sql`nullif(jsonb_path_query_array(doc, ${listedPath(way)}::jsonpath, '{}', true), '[]'::jsonb)`)

const firstOf = (sql: SqlClient.SqlClient, values: ReadonlyArray<Fragment>): Fragment =>
  values.length === 1 ? values[0]! : sql`coalesce(${sql.csv(values)})`

/** The value of a field in a document of an index, as `jsonb`: that of `valueAt`, where null counts as none. */
export const rawAt = (sql: SqlClient.SqlClient, field: string, index: string): Fragment => {
  if (field === "_id") return sql`to_jsonb(id)`
  if (field === "_index") return sql`to_jsonb(${index}::text)`
  if (field === "@timestamp") return sql`case when ts < ${latest}::bigint then to_jsonb(ts) end`
  const ways = waysOf(field)
  if (ways.length === 1) return valueAt(sql, ways[0]!)
  const found = ways.map((way) => sql`nullif(${valueAt(sql, way)}, 'null'::jsonb)`)
  return firstOf(sql, [...found, ...listedAt(sql, ways)])
}

/** {@link rawAt} as text: a text itself, anything else as JSON writes it. */
export const textAt = (sql: SqlClient.SqlClient, field: string, index: string): Fragment => {
  if (field === "_id") return sql`id`
  if (field === "_index") return sql`${index}::text`
  const ways = waysOf(field)
  const found = ways.map((way) => (way.length === 1 ? sql`doc ->> ${way[0]}::text` : sql`doc #>> ${way}::text[]`))
  const listed = listedAt(sql, ways).map((list) => sql`${list}::text`)
  return firstOf(sql, [...found, ...listed])
}

/** {@link textAt} of a field that has no lists. */
export const plainTextAt = (sql: SqlClient.SqlClient, field: string): Fragment =>
  firstOf(
    sql,
    waysOf(field).map((way) => (way.length === 1 ? sql`doc ->> ${way[0]}::text` : sql`doc #>> ${way}::text[]`))
  )

/** {@link rawAt} as a number or boolean. Values of other types make the statement fail. */
export const castAt = (sql: SqlClient.SqlClient, field: string, type: "numeric" | "float8" | "boolean"): Fragment => {
  const as = sql.literal(`::${type}`)
  if (field === "@timestamp") return sql`case when ts < ${latest}::bigint then ts${as} end`
  const ways = waysOf(field)
  const values = [...ways.map((way) => valueAt(sql, way)), ...listedAt(sql, ways)]
  return firstOf(
    sql,
    values.map((value) => sql`(${value})${as}`)
  )
}
