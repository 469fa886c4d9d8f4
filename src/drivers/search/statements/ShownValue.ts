import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { cuts } from "../../../languages/query/FieldName.ts"
import type { RowsOptions } from "../../../languages/query/IndexedDocument.ts"
import { storable } from "../../../languages/query/StoredText.ts"
import { listedPath } from "./JsonPath.ts"

/** The text of a `jsonb` without the blanks that PostgreSQL puts behind commas and colons: it is skipped in texts. */
const withoutBlanks = (sql: SqlClient.SqlClient, text: Fragment): Fragment =>
  sql`regexp_replace(${text}, '("(?:[^"\\\\]|\\\\.)*")|([,:]) ', '\\1\\2', 'g')`

/** `texts`: lists and objects are JSON without blanks. Asking for the type takes as long as the value, so `text` does not. */
type Shown = RowsOptions["as"] | "texts"

/** As what a field is read: `nested` are those that may be lists or objects. */
export const shownAs = (field: string, as: RowsOptions["as"], nested: ReadonlySet<string>): Shown =>
  as === "text" && nested.has(field) ? "texts" : as

/**
 * The value of a dotted field name in a document: the value at the first way of splitting the name that exists, else
 * the values that the name reaches through lists.
 */
export const valueAt = (sql: SqlClient.SqlClient, field: string, as: Shown): Fragment => {
  const parts = field.split(".").map(storable)
  const ways = cuts(parts)
  const one = (way: ReadonlyArray<string>) => {
    const value = way.length === 1 ? sql`doc -> ${way[0]}::text` : sql`doc #> ${way}::text[]`
    if (as === "json") return sql`(${value})::text`
    const text = way.length === 1 ? sql`doc ->> ${way[0]}::text` : sql`doc #>> ${way}::text[]`
    if (as === "text") return text
    const isNested = sql`jsonb_typeof(${value}) in ('array', 'object')`
    return sql`case when ${isNested} then ${withoutBlanks(sql, sql`(${value})::text`)} else ${text} end`
  }
  const listed = (way: ReadonlyArray<string>) => {
    const list = sql`nullif(jsonb_path_query_array(doc, ${listedPath(way)}::jsonpath, '{}', true), '[]'::jsonb)::text`
    return as === "json" ? list : withoutBlanks(sql, list)
  }
  const through = ways.filter(({ length }) => length > 1)
  return ways.length === 1 ? one(ways[0]!) : sql`coalesce(${sql.csv([...ways.map(one), ...through.map(listed)])})`
}
