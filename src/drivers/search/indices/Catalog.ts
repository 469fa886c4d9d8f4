import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../../errors/NotFound.ts"
import { named } from "../../../languages/query/IndexName.ts"

/** A table with documents of one index. */
export interface Part {
  readonly index: string
  readonly no: number
  /** `YYYY-MM`, or empty for documents whose month has no part. */
  readonly month: string
  readonly part: number
}

/** The name of the table of a part. */
export const tableOf = (part: number): string => `search_part_${part}`

/** The failure for an index that the tenant does not have. */
export const notFound = (tenant: string, id: string) => {
  if (id.startsWith(`${tenant}-`)) return new NotFound({ kind: "index", tenant, id })
  const detail = `There is no index ${JSON.stringify(id)}: names of this tenant's indices begin with "${tenant}-"`
  return new NotFound({ kind: "index", tenant, id, detail })
}

/** The range of months that get their own parts, and the maximum number of parts. */
const months = { from: Date.UTC(1980, 0), to: Date.UTC(2100, 0), most: 240 }

/** The month of a position in the result order. */
export const monthOf = (at: string): string => {
  const millis = Number(at)
  return millis >= months.from && millis < months.to ? new Date(millis).toISOString().slice(0, 7) : ""
}

/** An index; another one that gets its name later has another number. */
export interface Index {
  readonly name: string
  readonly no: number
}

/** All indices of a tenant. */
export const indicesOf = (sql: SqlClient.SqlClient, tenant: string) =>
  sql<Index>`select name, no from search_indices where tenant = ${tenant} order by name`

/** The tenant's indices that match a pattern. */
export const resolve = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: string, pattern: string) {
  const { names, selects } = named(pattern)
  const rows = yield* indicesOf(sql, tenant)
  const missing = names.find((name) => !rows.some((row) => row.name === name))
  if (missing !== undefined) return yield* notFound(tenant, missing)
  return rows.filter((row) => selects(row.name))
})

/** These indices again; fails when one of them has been removed. */
export const stillThere = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: string,
  indices: ReadonlyArray<Index>
) {
  const rows = yield* indicesOf(sql, tenant)
  const missing = indices.find(({ no }) => !rows.some((row) => row.no === no))
  return missing === undefined ? indices : yield* notFound(tenant, missing.name)
})

/** The parts of indices, ordered by index and month. */
export const partsOf = (sql: SqlClient.SqlClient, tenant: string, nos: ReadonlyArray<number>) =>
  sql<Part>`
    select name as index, no, month, part from search_indices join search_parts using (no)
    where tenant = ${tenant} and no = any(${nos}::integer[]) order by name, month`

/** Class of the advisory locks on indices; the second key is the number of the index. */
const lockClass = 0x73656172

/** Locks an index until the end of the transaction: shared for writers that cannot conflict, else exclusively. */
export const lockIndex = (sql: SqlClient.SqlClient, no: number, mode: "shared" | "alone") =>
  mode === "alone"
    ? sql`select pg_advisory_xact_lock(${lockClass}::integer, ${no}::integer)`
    : sql`select pg_advisory_xact_lock_shared(${lockClass}::integer, ${no}::integer)`

/** The index no longer exists. */
export class IndexGone extends Data.TaggedError("IndexGone") {}

/** A part for writers: with the version of its types, which parts of before do not have. */
export interface WritablePart extends Part {
  readonly version: string | null
}

/** The parts of a locked index. */
export const lockedParts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: string, no: number) {
  const [index] = yield* sql`select from search_indices where tenant = ${tenant} and no = ${no}`
  if (index === undefined) return yield* new IndexGone()
  return yield* sql<WritablePart>`
    select name as index, no, month, part, version::text as version
    from search_indices join search_parts using (no) where no = ${no} order by month`
})

/** The number of an index, which is created if it does not exist. */
export const openIndex = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: string, name: string) {
  const find = sql<{ no: number }>`select no from search_indices where tenant = ${tenant} and name = ${name}`
  const [found] = yield* find
  if (found !== undefined) return found.no
  const [known] = yield* sql<{ count: number }>`
    select count(*)::float8 as count from search_indices where tenant = ${tenant}`
  if ((known?.count ?? 0) >= tenantMost.indices) return yield* new IndexLimit()
  yield* sql`insert into search_indices (tenant, name) values (${tenant}, ${name}) on conflict do nothing`
  const [made] = yield* find
  return made?.no ?? (yield* new IndexGone())
})

/** Maximum number of indices of a tenant, and of parts that it can have before its indices get no more for months. */
const tenantMost = { indices: 1000, parts: 5000 }

/** Number of parts that one transaction makes: a new table takes a handful of locks. */
const madeAtOnce = 16

/** The tenant has the maximum number of indices. */
export class IndexLimit extends Data.TaggedError("IndexLimit") {
  readonly reason = `the tenant has ${tenantMost.indices} indices, which is the maximum: delete one that is not needed`
}

/** The number of parts that an index of the tenant can have: none for further months when the tenant has too many. */
export const mostParts = (sql: SqlClient.SqlClient, tenant: string) =>
  Effect.map(
    sql<{ count: number }>`
      select count(*)::float8 as count from search_indices join search_parts using (no) where tenant = ${tenant}`,
    ([row]) => ((row?.count ?? 0) < tenantMost.parts ? months.most : 0)
  )

/**
 * Creates missing parts, not always all of them. Above the maximum number of parts, documents go to the part without a
 * month.
 */
export const makeParts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: string,
  no: number,
  wanted: ReadonlyArray<string>,
  most = months.most
) {
  yield* lockIndex(sql, no, "alone")
  const known = new Set((yield* lockedParts(sql, tenant, no)).map(({ month }) => month))
  for (const month of [...wanted].sort().slice(0, madeAtOnce)) {
    const kept = known.size < most ? month : ""
    if (known.has(kept)) continue
    known.add(kept)
    const [row] = yield* sql<{ part: number }>`
      insert into search_parts (no, month, types, version) values (${no}, ${kept}, '{}', gen_random_uuid())
      returning part`
    const table = sql(tableOf(row!.part))
    yield* sql`create table ${table} (
      id text collate "C" primary key, ts bigint not null, doc jsonb not null)`
    yield* sql`create index on ${table} (ts, id)`
  }
})

/** The part for documents of a month: the month's own, or the one for all other months. */
export const partFor = <P extends Part>(parts: ReadonlyArray<P>, month: string, most = months.most): P | undefined =>
  parts.find((part) => part.month === month) ??
  (parts.length >= most ? parts.find((part) => part.month === "") : undefined)

/** Removes parts from their index. Their tables are dropped when nobody reads them any more. */
export const unlink = (sql: SqlClient.SqlClient, parts: ReadonlyArray<Part>) =>
  sql`with gone as (delete from search_parts where part = any(${parts.map(({ part }) => part)}::integer[]) returning part)
    insert into search_dropped select part from gone`

/** Name of connections that read parts in groups: no lock keeps the tables of the groups that they have yet to read. */
export const groupReader = "flow-gateway search in groups"

/** Drops the tables of removed parts, except for those that are still being read. */
export const sweepParts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // A part may have been removed a moment later than its row says, when the transaction was committed.
  const rows = yield* sql<{ part: number }>`
    select part from search_dropped where not exists (
      select from pg_stat_activity where application_name = ${groupReader} and xact_start < removed_at + interval '1 minute'
    ) order by part`
  for (const { part } of rows) {
    yield* sql
      .withTransaction(
        Effect.gen(function* () {
          // A waiting DROP would block all later readers.
          yield* sql`set local lock_timeout = '100ms'`
          yield* sql`drop table if exists ${sql(tableOf(part))}`
          yield* sql`delete from search_dropped where part = ${part}`
        })
      )
      .pipe(Effect.ignore)
  }
})
