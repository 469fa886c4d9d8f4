import { Effect, Function } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Hit } from "../../../languages/query/IndexedDocument.ts"
import type { Query } from "../../../languages/query/Query.ts"
import { tableOf } from "../indices/Catalog.ts"
import type { Page, PageSpan } from "../Search.ts"
import { type Group, hitOf, selectFound } from "./Select.ts"

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

/** Runs a statement in the snapshot of the page. */
type Get = <A extends object>(statement: Statement<A>) => Effect.Effect<ReadonlyArray<A>, SqlError>

/** Frees what the work on one group of parts holds. */
type Releasing = <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>

/**
 * Reads a page, one group of parts after the other. The first statement for a group finds the documents and reads the
 * small ones; larger ones are read afterwards, as many as the page has room for. So a page never takes more than about
 * twice its bytes, whatever the documents' sizes.
 */
export const readPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  get: Get,
  groups: ReadonlyArray<Group>,
  query: Query,
  { limit, bytes, after }: PageSpan,
  releasing: Releasing = Function.identity
) {
  const hits: Array<Hit> = []
  let used = 0
  /** Adds the documents of a group; answers whether the page is full. */
  const addFrom = Effect.fnUntraced(function* (group: Group) {
    const rest = limit - hits.length
    const rowBytes = Math.max(4096, Math.floor((2 * bytes) / (rest + 1)))
    const found = yield* get(sql<FoundRow>`
      select ts, id, index, part, case when octet_length(text) <= ${rowBytes}::bigint then text end as doc
      from (${selectFound(sql, group, query, { after, limit: rest + 1 })}) as found cross join lateral (
        select case when pg_column_size(found.doc) <= ${small}::integer then found.doc::text end as text offset 0
      ) as small
      order by ts, id, index`)

    const loaded = new Map<FoundRow, LoadedRow>()
    const load = Effect.fnUntraced(function* (rows: ReadonlyArray<FoundRow>, rowBytes: number) {
      const read = yield* get(sql<LoadedRow>`
        select id, octet_length(text)::float8 as size, case when octet_length(text) <= ${rowBytes}::bigint then text end as doc
        from (
          select id, doc::text as text from ${sql(tableOf(rows[0]!.part))}
          where id = any(${rows.map(({ id }) => id)}::text[]) offset 0
        ) as larger`)
      const byId = new Map(read.map((row) => [row.id, row]))
      for (const row of rows) {
        const text = byId.get(row.id)
        if (text !== undefined) loaded.set(row, text)
      }
    })

    let atOnce = together.first
    for (const [at, row] of found.entries()) {
      if (hits.length === limit) return true
      if (row.doc === null && !loaded.has(row)) {
        const next = found.slice(at, at + atOnce).filter(({ doc, part }) => doc === null && part === row.part)
        yield* load(next, Math.floor(bytes / atOnce))
        atOnce = Math.min(atOnce * 4, together.most)
      }
      const large = loaded.get(row)
      const size = large?.size ?? Buffer.byteLength(row.doc ?? "")
      if (hits.length > 0 && used + size > bytes) return true
      if (large !== undefined && large.doc === null) yield* load([row], size)
      const doc = row.doc ?? loaded.get(row)?.doc
      loaded.delete(row)
      if (typeof doc !== "string") continue
      hits.push(hitOf({ ...row, doc }))
      used += size
    }
    return false
  })
  for (const group of groups) {
    if (yield* releasing(addFrom(group))) return { hits, more: true } satisfies Page
  }
  return { hits, more: false } satisfies Page
})
