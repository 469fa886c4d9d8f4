import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { cuts } from "../../languages/query/FieldName.ts"
import { latest } from "../../languages/query/IndexedDocument.ts"
import { storable } from "../../languages/query/StoredText.ts"
import { listedPath } from "./JsonPath.ts"

/** The value of a field in a document of an index, as `jsonb`: that of `valueAt`, where null counts as none. */
export const rawAt = (sql: SqlClient.SqlClient, field: string, index: string): Fragment => {
  if (field === "_id") return sql`to_jsonb(id)`
  if (field === "_index") return sql`to_jsonb(${index}::text)`
  if (field === "@timestamp") return sql`case when ts < ${latest}::bigint then to_jsonb(ts) end`
  const ways = cuts(field.split(".").map(storable))
  const one = (way: ReadonlyArray<string>) =>
    way.length === 1 ? sql`doc -> ${way[0]}::text` : sql`doc #> ${way}::text[]`
  if (ways.length === 1) return one(ways[0]!)
  const found = ways.map((way) => sql`nullif(${one(way)}, 'null'::jsonb)`)
  const listed = ways
    .filter(({ length }) => length > 1)
    .map((way) => sql`nullif(jsonb_path_query_array(doc, ${listedPath(way)}::jsonpath, '{}', true), '[]'::jsonb)`)
  return sql`coalesce(${sql.csv([...found, ...listed])})`
}
