import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type Hit, type Key, latest, type Row, type RowsOptions } from "../../../languages/query/IndexedDocument.ts"
import { setMember } from "../../../languages/query/Member.ts"
import type { Query } from "../../../languages/query/Query.ts"
import { isMarked, original, originalJson, originalText, storable } from "../../../languages/query/StoredText.ts"
import { type Times, timesOf } from "../../../languages/query/Times.ts"
import { type Index, monthOf, type Part, partsOf, tableOf } from "../indices/Catalog.ts"
import { shownAs, valueAt } from "../statements/ShownValue.ts"
import { conditionFor } from "../statements/Where.ts"

/** A condition for the documents of an index that come after a key. */
export const following = (sql: SqlClient.SqlClient, index: string, after: Key | undefined): Fragment => {
  if (after === undefined) return sql`true`
  return index > after.index
    ? sql`(ts, id) >= (${after.at}::bigint, ${storable(after.id)})`
    : sql`(ts, id) > (${after.at}::bigint, ${storable(after.id)})`
}

/** A position in the result order: between two documents, or before the first. */
export interface Cut {
  readonly at: string
  readonly id: string
}

/** The documents from one position to another. An absent end means from the start or to the end. */
export interface Slice {
  readonly from: Cut | undefined
  readonly to: Cut | undefined
}

/** Parts that are read together, and the times at which they are read. */
export interface Group {
  readonly parts: ReadonlyArray<Part>
  readonly slice: Slice
}

/** A condition for the documents of a slice. The times are repeated because PostgreSQL can estimate them. */
const between = (sql: SqlClient.SqlClient, { from, to }: Slice): Fragment => {
  const begins = from && sql`ts >= ${from.at}::bigint and (ts, id) >= (${from.at}::bigint, ${from.id}::text)`
  const ends = to && sql`ts <= ${to.at}::bigint and (ts, id) < (${to.at}::bigint, ${to.id}::text)`
  return sql`${begins ?? sql`true`} and ${ends ?? sql`true`}`
}

/** Whether a part can contain documents after the key. Parts of earlier months cannot. */
const mayFollow = (part: Part, after: Key | undefined): boolean =>
  after === undefined || part.month === "" || monthOf(after.at) === "" || part.month >= monthOf(after.at)

/** Whether a part can contain documents of these times. */
const isWithin = ({ month }: Part, { from, to }: Times): boolean => {
  if (month === "") return true
  const [year = 0, number = 0] = month.split("-").map(Number)
  return Date.UTC(year, number - 1) <= to && Date.UTC(year, number) > from
}

/** Whether a part can contain documents of a slice. */
export const mayHold = (part: Part, { from, to }: Slice): boolean => {
  const [first, last] = [from && monthOf(from.at), to && monthOf(to.at)]
  return part.month === "" || ((!first || part.month >= first) && (!last || part.month <= last))
}

/** Whether a search has to read a part. */
export const isNeeded = (query: Query, after?: Key): ((part: Part) => boolean) => {
  const times = timesOf(query)
  return (part) => mayFollow(part, after) && isWithin(part, times)
}

/** The parts of indices that a search has to read: those that the dates of its query exclude are left out. */
export const partsFor = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: string,
  indices: ReadonlyArray<Index>,
  query: Query,
  after?: Key
) {
  if (indices.length === 0) return []
  const parts = yield* partsOf(
    sql,
    tenant,
    indices.map(({ no }) => no)
  )
  return parts.filter(isNeeded(query, after))
})

/**
 * The rows of all parts in result order, as one statement. An index already orders the rows of each part, so PostgreSQL
 * only merges them. Documents of several indices can have the same time and id.
 */
const inOrder = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  one: (part: Part) => Fragment,
  limit: Fragment
) =>
  parts.length === 1
    ? sql`${one(parts[0]!)} order by ts, id ${limit}`
    : sql`select * from (${sql.join(
        " union all ",
        false
      )(
        parts.map((part) => sql`(${one(part)} order by ts, id ${limit})`)
      )}) as found order by ts, id ${new Set(parts.map(({ index }) => index)).size > 1 ? sql`, index` : sql``} ${limit}`

/** The number of matching documents after a key. */
export const selectCount = (
  sql: SqlClient.SqlClient,
  { parts, slice }: Group,
  query: Query,
  after?: Key | undefined
) => {
  const condition = conditionFor(sql, query)
  const counts = parts.map(
    ({ part, index }) =>
      sql`(select count(*) from ${sql(tableOf(part))}
        where ${following(sql, index, after)} and ${between(sql, slice)} and ${condition(index)})`
  )
  return sql<{ count: number }>`select (${sql.join(" + ", false)(counts)})::float8 as count`
}

/** Whole documents after a key. */
export const selectHits = (
  sql: SqlClient.SqlClient,
  { parts, slice }: Group,
  query: Query,
  { after }: { readonly after?: Key | undefined }
) => {
  const condition = conditionFor(sql, query)
  const one = (part: Part) => sql`
    select ts, id, ${part.index}::text collate "C" as index, doc::text as doc from ${sql(tableOf(part.part))}
    where ${following(sql, part.index, after)} and ${between(sql, slice)} and ${condition(part.index)}`
  return sql<HitRow>`${inOrder(sql, parts, one, sql``)}`
}

/** Documents after a key with their parts, as they are stored: large ones are not read yet. */
export const selectFound = (
  sql: SqlClient.SqlClient,
  { parts, slice }: Group,
  query: Query,
  { after, limit }: { readonly after?: Key | undefined; readonly limit: number }
) => {
  const condition = conditionFor(sql, query)
  const one = (part: Part) => sql`
    select ts, id, ${part.index}::text collate "C" as index, ${part.part}::integer as part, doc
    from ${sql(tableOf(part.part))} where ${following(sql, part.index, after)} and ${between(sql, slice)} and ${condition(part.index)}`
  return sql`${inOrder(sql, parts, one, sql`limit ${limit}::bigint`)}`
}

/** The columns that order rows. */
interface Placed {
  readonly ts: string | bigint
  readonly id: string
  readonly index: string
}

/** The position of a row in the result order. */
export const keyOf = ({ ts, id, index }: Placed): Key => ({ at: String(ts), id: original(id), index })

interface HitRow extends Placed {
  readonly doc: string
}

/** The document of a row, in its original form. */
export const hitOf = (row: HitRow): Hit => ({ ...keyOf(row), source: originalJson(row.doc) })

/** Generated column names for fields, so that field names do not become part of the statement. */
const columnsOf = (fields: ReadonlyArray<string>): ReadonlyArray<string> => fields.map((_, index) => `f${index}`)

/** Fields in columns with generated names. */
type PlacedRow = Placed & Row

/** The fields of all matching documents as columns, with the columns that order them. */
export const selectRows = (
  sql: SqlClient.SqlClient,
  { parts, slice }: Group,
  query: Query,
  { fields, as, after, nested }: Omit<RowsOptions, "counted"> & { readonly nested: ReadonlySet<string> }
) => {
  const columns = columnsOf(fields)
  const values = sql.csv(
    fields.map((field, at) => sql`${valueAt(sql, field, shownAs(field, as, nested))} as ${sql(columns[at]!)}`)
  )
  const condition = conditionFor(sql, query)
  const one = (part: Part) => sql`
    select ${values}, ts, id, ${part.index}::text collate "C" as index from ${sql(tableOf(part.part))}
    where ${following(sql, part.index, after)} and ${between(sql, slice)} and ${condition(part.index)}`
  const outer = sql.csv(columns.map((column) => sql`${sql(column)}`))
  return sql<PlacedRow>`select ${outer}, ts, id, index from (${inOrder(sql, parts, one, sql``)}) as rows`
}

/** The fields of a document in UTF-8, in columns with generated names. The last column of some is their key. */
export interface LineRow {
  readonly [column: string]: Uint8Array | null | string
  readonly key: string | null
}

/** The key of a row that has one. */
export const keyIn = ({ key }: LineRow): Key | undefined => {
  if (key === null) return undefined
  const [at, id, index] = JSON.parse(key)
  return { at, id: original(id), index }
}

/** The key after all documents of a slice and before those that follow. */
export const endOf = ({ to }: Slice): Key =>
  to === undefined ? { at: latest, id: afterIds, index: "" } : { at: to.at, id: original(to.id), index: "" }

/** Larger than any id, of which none has more than 512 bytes. */
const afterIds = "\u{10FFFF}".repeat(129)

/**
 * One key in about so many bytes, a document counted with its stored size once for each field: no row has more of it
 * than that, compression aside. Keys in all rows would take a fifth of PostgreSQL's work. Which rows have one is left to
 * chance, so that no documents can be chosen among which none has.
 */
const keyedBytes = 32 * 1024

/** The values of a row one after the other, each behind its length in 32 bits; -1 when it is missing. */
export const framed = (row: LineRow, fields: number): Uint8Array => {
  const values = Array.from({ length: fields }, (_, at) => row[`f${at}`])
  return Buffer.concat(
    values.flatMap((value) => {
      const length = Buffer.alloc(4)
      length.writeInt32BE(value instanceof Uint8Array ? value.length : -1)
      return value instanceof Uint8Array ? [length, value] : [length]
    })
  )
}

interface LineOptions {
  readonly fields: ReadonlyArray<string>
  readonly after: Key | undefined
  readonly nested: ReadonlySet<string>
}

/** The fields of a slice of documents as text. */
export const selectLines = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  query: Query,
  { fields, after, nested }: LineOptions,
  slice: Slice
) => {
  const columns = columnsOf(fields)
  const values = sql.csv(
    fields.map((field, at) => sql`${valueAt(sql, field, shownAs(field, "text", nested))} as ${sql(columns[at]!)}`)
  )
  const condition = conditionFor(sql, query)
  const one = (part: Part) => sql`
    select ${values}, ts, id, ${part.index}::text collate "C" as index, pg_column_size(doc) as size
    from ${sql(tableOf(part.part))}
    where ${following(sql, part.index, after)} and ${between(sql, slice)} and ${condition(part.index)}`
  // `varchar` columns are not decoded: see `SearchConnections.ts`.
  const outer = sql.csv(columns.map((column) => sql`${sql(column)}::varchar as ${sql(column)}`))
  const keyed = sql.literal(String(Math.ceil(keyedBytes / Math.max(1, fields.length))))
  const key = sql`case when random() * ${keyed} < size then json_build_array(ts::text, id, index)::text end`
  return sql<LineRow>`select ${outer}, ${key} as key from (${inOrder(sql, parts, one, sql``)}) as lines`
}

const setPlain = (row: Record<string, string | null>, name: string, value: string | null): void => {
  row[name] = value
}

/** Maps a row of columns to a row of fields, with the original texts. */
export const rowOf = ({ fields, as }: RowsOptions): ((row: Row) => Row) => {
  const columns = columnsOf(fields)
  const restore = as === "text" ? originalText : originalJson
  // Runs for every cell.
  const set = fields.includes("__proto__") ? setMember : setPlain
  return (row) => {
    const found: Record<string, string | null> = {}
    for (let at = 0; at < columns.length; at++) {
      const value = row[columns[at]!] ?? null
      set(found, fields[at]!, value === null || !isMarked(value) ? value : restore(value))
    }
    return found
  }
}
