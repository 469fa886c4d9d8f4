import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { bitsOf, covers, type FieldTypes, joined, typeBit } from "../../../languages/query/FieldTypes.ts"
import { named } from "../../../languages/query/IndexName.ts"
import { storable } from "../../../languages/query/StoredText.ts"
import { hasWildcard } from "../../../languages/Wildcard.ts"
import { notFound, type Part } from "./Catalog.ts"

/** The types of a part as some process has seen them. A version is never used for others. */
interface Seen extends FieldTypes {
  readonly version: string
}

/** Maximum number of parts whose types are remembered. */
const remembered = 200

interface Row {
  readonly types: Readonly<Record<string, number>>
  readonly more: boolean
  readonly version: string
}

/**
 * Keeps the types of what is written to a part with the part. It has to happen before the documents are written: writers
 * that wait for a part then hold no document that another one waits for.
 */
export const typesRecorder = (sql: SqlClient.SqlClient) => {
  const seen = new Map<number, Seen>()
  const remember = (part: number, types: Seen): void => {
    seen.delete(part)
    seen.set(part, types)
    for (const oldest of seen.keys()) {
      if (seen.size <= remembered) break
      seen.delete(oldest)
    }
  }

  /**
   * Records types in the transaction of the client.
   *
   * @param version of the part; null for one of before, of which nothing is known
   * @returns what is to happen once the transaction has been committed
   */
  const record = Effect.fnUntraced(function* (part: number, version: string | null, found: FieldTypes) {
    if (version === null) return () => {}
    const known = seen.get(part)
    if (known?.version === version && covers(known, found)) return () => {}
    const [row] = yield* sql<Row>`
      select types, more, version::text as version from search_parts where part = ${part} for update`
    if (row === undefined) return () => {}
    const current = { types: new Map(Object.entries(row.types)), more: row.more }
    if (covers(current, found)) return () => remember(part, { ...current, version: row.version })
    const all = { ...joined(current, found), version: randomUUID() }
    yield* sql`
      update search_parts set types = ${JSON.stringify(Object.fromEntries(all.types))}::text::jsonb,
        more = ${all.more}, version = ${all.version}::text::uuid
      where part = ${part}`
    return () => remember(part, all)
  })

  return record
}

/** A part with what is known of some fields. */
export interface TypedPart extends Part {
  /** The types of each field, see `FieldTypes.ts`; undefined when they are not known. */
  readonly types: ReadonlyMap<string, number | undefined>
}

interface TypedRow {
  readonly index: string
  readonly no: number
  readonly month: string | null
  readonly part: number | null
  readonly bits: ReadonlyArray<number | null> | null
  readonly more: boolean | null
}

/**
 * The parts of a tenant's indices that match a pattern, ordered by index and month, with the types of fields. Types and
 * documents have to be read in one snapshot.
 *
 * @param hashing whether PostgreSQL is to group by hashing until the end of the transaction. It knows nothing of the
 *   values in JSON, so it would expect as many groups as documents, and sort them
 */
export const typedParts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: string,
  pattern: string,
  fields: ReadonlyArray<string>,
  hashing: boolean
) {
  const { names, selects } = named(pattern)
  const isPlain = !hasWildcard(pattern)
  const rows = yield* sql<TypedRow>`
    select name as index, no, month, part, more,
      case when types is not null then array(
        select (types ->> field)::integer from unnest(${fields.map(storable)}::text[]) with ordinality as asked (field, at)
        order by at) end as bits,
      ${hashing ? sql`set_config('enable_sort', 'off', true)` : sql`null`} as set
    from search_indices left join search_parts using (no)
    where tenant = ${tenant} and (${!isPlain} or name = any(${isPlain ? names.map(storable) : []}::text[])) order by name, month`
  const missing = names.find((name) => !rows.some(({ index }) => index === name))
  if (missing !== undefined) return yield* notFound(tenant, missing)
  return rows.flatMap(({ index, no, month, part, bits, more }): ReadonlyArray<TypedPart> => {
    if (part === null || month === null || !selects(index)) return []
    const typeOf = (field: string, at: number) =>
      bits === null ? undefined : bitsOf(storable(field), bits[at] ?? undefined, more ?? true)
    return [{ index, no, month, part, types: new Map(fields.map((field, at) => [field, typeOf(field, at)])) }]
  })
})

/** Those of the fields that may be lists or objects, as far as it is known when a search begins. */
export const nestedFields = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: string,
  pattern: string,
  fields: ReadonlyArray<string>
) {
  const parts = yield* typedParts(sql, tenant, pattern, fields, false)
  const nested = typeBit.list | typeBit.object
  // A number may be the place in a list, of which no types are kept.
  const isNested = (field: string) =>
    /(^|[.])\d+($|[.])/.test(field) || ((typesIn(parts, field) ?? nested) & nested) !== 0
  return new Set(fields.filter(isNested))
})

/** The types of a field in all of some parts; undefined when they are not known. */
export const typesIn = (parts: ReadonlyArray<TypedPart>, field: string): number | undefined => {
  let all = 0
  for (const { types } of parts) {
    const bits = types.get(field)
    if (bits === undefined) return undefined
    all |= bits
  }
  return all
}
