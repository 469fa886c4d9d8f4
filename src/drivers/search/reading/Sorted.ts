import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { TermKey } from "../../../languages/query/aggregation/Aggregation.ts"
import { latest } from "../../../languages/query/IndexedDocument.ts"
import type { Query } from "../../../languages/query/Query.ts"
import type { SortKey, SortPosition, SortValue } from "../../../languages/query/Sort.ts"
import { original, originalJson, storable } from "../../../languages/query/StoredText.ts"
import { type Part, tableOf } from "../indices/Catalog.ts"
import type { TypedPart } from "../indices/PartTypes.ts"
import type { SortedHit, SortedPage, SortedSpan } from "../Search.ts"
import { compacted } from "../statements/CompactStatement.ts"
import { castAt, rawAt } from "../statements/FieldValue.ts"
import { conditionFor } from "../statements/Where.ts"
import { fits, tooManyParts } from "./PartGroups.ts"
import { anyReadings, type Readings, readingsOf } from "./Readings.ts"

interface FoundRow {
  readonly ts: string | bigint
  readonly id: string
  readonly index: string
  readonly part: number
  /** Bytes of the document as it is stored. */
  readonly size: number
  readonly [column: string]: unknown
}

/** Bytes of stored documents that are read together. */
const together = 256 * 1024

const names = (at: number) => ({
  n: `n${at}`,
  t: `t${at}`,
  b: `b${at}`
})

const scalars = ["string", "number", "boolean"]

const orderOf = (sql: SqlClient.SqlClient, keys: ReadonlyArray<SortKey>): Fragment =>
  sql.csv([
    ...keys.flatMap(({ descending, missingFirst }, at) => {
      const { n, t, b } = names(at)
      const way = descending ? "desc nulls last" : "asc nulls last"
      const first = missingFirst ? [`(${n} is null and ${t} is null and ${b} is null) desc`] : []
      return [...first, `${n} ${way}`, `${t} ${way}`, `${b} ${way}`].map((text) => sql.literal(text))
    }),
    sql`id`,
    sql`index`
  ])

/** The typed columns of a key: the number, the text or the boolean that orders the document. */
const columnsOf = (sql: SqlClient.SqlClient, key: SortKey, at: number, part: Part, readings: Readings): Fragment => {
  const { n, t, b } = names(at)
  const only = readings.of(key.field)
  if (key.field === "@timestamp") {
    const time = part.month === "" ? sql`nullif(ts, ${latest}::bigint)` : sql`ts`
    return sql`${time} as ${sql.literal(n)}, null::text as ${sql.literal(t)}, null::text as ${sql.literal(b)}`
  }
  const x = sql.literal(`x${at}`)
  if (only === "numbers") {
    return sql`${x} as ${sql.literal(n)}, null::text as ${sql.literal(t)}, null::text as ${sql.literal(b)}`
  }
  const is = (type: string) => sql`jsonb_typeof(${x}) = ${sql.literal(`'${type}'`)}`
  return sql`case when ${is("number")} then ${x}::numeric end as ${sql.literal(n)},
    case when ${is("string")} then ${x} #>> '{}' end collate "C" as ${sql.literal(t)},
    case when ${is("boolean")} then ${x} #>> '{}' end as ${sql.literal(b)}`
}

/** The value that orders a document by a field: of a list, that which comes first. */
const valueOf = (
  sql: SqlClient.SqlClient,
  { field, descending }: SortKey,
  at: number,
  index: string,
  readings: Readings
): Fragment => {
  if (readings.of(field) === "numbers") return sql`${castAt(sql, field, "numeric")} as ${sql.literal(`x${at}`)}`
  const raw = rawAt(sql, field, index)
  const way = sql.literal(descending ? "desc nulls last" : "asc nulls last")
  const is = (type: string) => sql`jsonb_typeof(element) = ${sql.literal(`'${type}'`)}`
  return sql`case jsonb_typeof(${raw}) when 'array' then (
      select element from jsonb_array_elements(${raw}) as elements (element)
      where jsonb_typeof(element) = any(${scalars}::text[])
      order by case when ${is("number")} then element::numeric end ${way},
        case when ${is("string")} then element #>> '{}' end collate "C" ${way}, element #>> '{}' ${way} limit 1)
    else ${raw} end as ${sql.literal(`x${at}`)}`
}

const literalOf = (sql: SqlClient.SqlClient, key: TermKey): Fragment => {
  switch (key._tag) {
    case "number":
      return sql`${key.digits}::text::numeric`
    case "text":
      return sql`${storable(key.text)}::text collate "C"`
    case "boolean":
      return sql`${String(key.value)}::text`
  }
}

/** The documents whose value of a key is this one. */
const sameAs = (sql: SqlClient.SqlClient, value: SortValue, at: number): Fragment => {
  const [n, t, b] = Object.values(names(at)).map((name) => sql.literal(name)) as [Fragment, Fragment, Fragment]
  if (value === null) return sql`(${n} is null and ${t} is null and ${b} is null)`
  const literal = literalOf(sql, value)
  if (value._tag === "number") return sql`${n} = ${literal}`
  return value._tag === "text"
    ? sql`(${n} is null and ${t} = ${literal})`
    : sql`(${n} is null and ${t} is null and ${b} = ${literal})`
}

/** The documents that come after those with this value of a key. */
const beyond = (sql: SqlClient.SqlClient, key: SortKey, value: SortValue, at: number): Fragment => {
  const [n, t, b] = Object.values(names(at)).map((name) => sql.literal(name)) as [Fragment, Fragment, Fragment]
  const some = sql`(${n} is not null or ${t} is not null or ${b} is not null)`
  if (value === null) return key.missingFirst ? some : sql`false`
  const literal = literalOf(sql, value)
  const way = sql.literal(key.descending ? "<" : ">")
  const after = (column: Fragment) => sql`coalesce(${column} ${way} ${literal}, false)`
  const ends = key.missingFirst ? some : sql`true`
  if (value._tag === "number") return sql`(${after(n)} or (${n} is null and ${ends}))`
  if (value._tag === "text") return sql`(${n} is null and (${after(t)} or (${t} is null and ${ends})))`
  return sql`(${n} is null and ${t} is null and (${after(b)} or (${b} is null and ${ends})))`
}

/** The documents that come after a position. */
const following = (
  sql: SqlClient.SqlClient,
  keys: ReadonlyArray<SortKey>,
  after: SortPosition | undefined
): Fragment => {
  if (after === undefined) return sql`true`
  const same = after.values.map((value, at) => sameAs(sql, value, at))
  const later = keys.map((key, at) => sql.and([...same.slice(0, at), beyond(sql, key, after.values[at] ?? null, at)]))
  if (after.id === undefined) return sql.or(later)
  return sql.or([
    ...later,
    sql.and([...same, sql`(id, index) > (${storable(after.id)}::text, ${after.index ?? ""}::text)`])
  ])
}

/** The times that can follow a position, which an index finds. */
const times = (
  sql: SqlClient.SqlClient,
  [first]: ReadonlyArray<SortKey>,
  part: Part,
  after: SortPosition | undefined
) => {
  const value = after?.values[0]
  if (first?.field !== "@timestamp" || part.month === "" || value?._tag !== "number") return sql`true`
  const way = sql.literal(first.descending ? "<=" : ">=")
  return sql`ts ${way} ${value.digits}::text::numeric::bigint`
}

const selectSorted = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  query: Query,
  { sort, after, from, limit }: SortedSpan,
  readings: Readings
) => {
  const condition = conditionFor(sql, query)
  const order = orderOf(sql, sort)
  const most = sql`limit ${from + limit + 1}::bigint`
  const one = (part: Part) => {
    const values = sort.flatMap((key, at) =>
      key.field === "@timestamp" ? [] : [valueOf(sql, key, at, part.index, readings)]
    )
    const typed = sort.map((key, at) => columnsOf(sql, key, at, part, readings))
    return sql`
      select * from (
        select ts, id, index, part, size, ${sql.csv(typed)} from (
          select ${sql.csv([...values, sql`ts, id, ${part.index}::text collate "C" as index, ${part.part}::integer as part, pg_column_size(doc) as size`])}
          from ${sql(tableOf(part.part))}
          where ${condition(part.index)} and ${times(sql, sort, part, after)}
        ) as valued
      ) as typed where ${following(sql, sort, after)} order by ${order} ${most}`
  }
  const all = sql.join(" union all ", false)(parts.map((part) => sql`(${one(part)})`))
  return sql<FoundRow>`select * from (${all}) as found order by ${order} ${most}`
}

const sortValue = (row: FoundRow, at: number): SortValue => {
  const { n, t, b } = names(at)
  if (row[n] !== null && row[n] !== undefined) return { _tag: "number", digits: String(row[n]) }
  if (typeof row[t] === "string") return { _tag: "text", text: original(row[t]) }
  return typeof row[b] === "string" ? { _tag: "boolean", value: row[b] === "true" } : null
}

/**
 * Reads a page of a search in another order than that of the index. Runs in the transaction of the client. With `guesses`
 * it is quicker, but may fail, see `orElse` of Readings.ts.
 */
export const readSorted = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<TypedPart>,
  query: Query,
  span: SortedSpan,
  guesses: boolean
) {
  const fields = span.sort.map(({ field }) => field)
  const readings = guesses ? yield* readingsOf(sql, parts, fields) : anyReadings
  const statement = selectSorted(sql, parts, query, span, readings)
  if (!fits(statement)) return yield* tooManyParts(parts.length)
  const found = yield* compacted(sql, statement)
  const rows = found.slice(span.from, span.from + span.limit)
  const hits: Array<SortedHit> = []
  const loaded = new Map<FoundRow, string>()
  let used = 0
  for (const [at, row] of rows.entries()) {
    if (!loaded.has(row)) {
      const some: Array<FoundRow> = []
      let bytes = 0
      for (const other of rows.slice(at, at + 200)) {
        if (other.part !== row.part) continue
        bytes += other.size
        if (some.length > 0 && bytes > together) break
        some.push(other)
      }
      const docs = yield* sql<{ id: string; doc: string }>`
        select id, doc::text as doc from ${sql(tableOf(row.part))} where id = any(${some.map(({ id }) => id)}::text[])`
      const byId = new Map(docs.map(({ id, doc }) => [id, doc]))
      for (const other of some) {
        const doc = byId.get(other.id)
        if (doc !== undefined) loaded.set(other, doc)
      }
    }
    const doc = loaded.get(row)
    loaded.delete(row)
    if (doc === undefined) continue
    used += Buffer.byteLength(doc)
    if (hits.length > 0 && used > span.bytes) return { hits, more: true } satisfies SortedPage
    const { ts, id, index } = row
    const sort = span.sort.map((_, place) => sortValue(row, place))
    hits.push({ at: String(ts), id: original(id), index, source: originalJson(doc), sort })
  }
  return { hits, more: found.length > span.from + span.limit } satisfies SortedPage
})
