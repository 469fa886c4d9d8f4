import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Hit } from "../../languages/query/IndexedDocument.ts"
import type { Query } from "../../languages/query/Query.ts"
import { type Part, tableOf } from "./Catalog.ts"
import type { Page, PageSpan } from "./Search.ts"
import { hitOf, selectFound } from "./Select.ts"

/** Documents that take more bytes on disk are not read together with the first statement. */
const small = 16 * 1024
/**
 * Number of larger documents that are read by the first statement for them, and by later ones at most: each of them costs
 * the server time, although there may be room for one only.
 */
const together = { first: 4, most: 64 }

interface FoundRow {
  readonly ts: string | bigint
  readonly id: string
  readonly index: string
  readonly part: number
  /** Null when it is not small. */
  readonly doc: string | null
}

interface LoadedRow {
  readonly id: string
  readonly size: number
  /** Null when it is larger than asked for. */
  readonly doc: string | null
}

/**
 * Reads a page. The first statement finds the documents and reads the small ones; larger ones are read afterwards, as
 * many as the page has room for. So a page never takes more than about twice its bytes, whatever the documents' sizes.
 */
export const readPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  query: Query,
  { limit, bytes, after }: PageSpan
) {
  const rowBytes = Math.max(4096, Math.floor((2 * bytes) / (limit + 1)))
  const found = yield* sql<FoundRow>`
    select ts, id, index, part, case when octet_length(text) <= ${rowBytes}::bigint then text end as doc
    from (${selectFound(sql, parts, query, { after, limit: limit + 1 })}) as found cross join lateral (
      select case when pg_column_size(found.doc) <= ${small}::integer then found.doc::text end as text offset 0
    ) as small
    order by ts, id, index`

  const loaded = new Map<FoundRow, LoadedRow>()
  const load = Effect.fnUntraced(function* (rows: ReadonlyArray<FoundRow>, rowBytes: number) {
    const read = yield* sql<LoadedRow>`
      select id, octet_length(text)::float8 as size, case when octet_length(text) <= ${rowBytes}::bigint then text end as doc
      from (
        select id, doc::text as text from ${sql(tableOf(rows[0]!.part))}
        where id = any(${rows.map(({ id }) => id)}::text[]) offset 0
      ) as larger`
    const byId = new Map(read.map((row) => [row.id, row]))
    for (const row of rows) {
      const text = byId.get(row.id)
      if (text !== undefined) loaded.set(row, text)
    }
  })

  const hits: Array<Hit> = []
  let used = 0
  let group = together.first
  for (const [at, row] of found.entries()) {
    if (hits.length === limit) return { hits, more: true } satisfies Page
    if (row.doc === null && !loaded.has(row)) {
      const next = found.slice(at, at + group).filter(({ doc, part }) => doc === null && part === row.part)
      yield* load(next, Math.floor(bytes / group))
      group = Math.min(group * 4, together.most)
    }
    const large = loaded.get(row)
    const size = large?.size ?? Buffer.byteLength(row.doc ?? "")
    if (hits.length > 0 && used + size > bytes) return { hits, more: true } satisfies Page
    if (large !== undefined && large.doc === null) yield* load([row], size)
    const doc = row.doc ?? loaded.get(row)?.doc
    loaded.delete(row)
    if (typeof doc !== "string") continue
    hits.push(hitOf({ ...row, doc }))
    used += size
  }
  return { hits, more: false } satisfies Page
})
