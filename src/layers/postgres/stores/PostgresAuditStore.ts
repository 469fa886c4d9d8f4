import { Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { type AuditFilter, AuditStore, type Chain, type NewEntry } from "../../../services/audit/AuditStore.ts"
import { type Head, retentionAction } from "../../../services/audit/Chain.ts"
import type { AuditEntry } from "../../../services/audit/Entry.ts"
import type { ListRow, ListSpan } from "../../../services/shared/reads/Listing.ts"
import { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { storable, timeOf } from "../statements/SqlText.ts"

/** Rows that one statement returns. */
const pageRows = 500
/** Rows of the chain that one statement looks at, whatever the filter: it ends before its deadline. */
const lookRows = 20_000
/** Rows that retention removes in one transaction. */
const expireRows = 5000

/** The chain in the column `tenant`. */
const nameOf = (chain: Chain): string => chain ?? ""

/** What keeps a row from being written is an outage to the change that needs it: it is not made. */
const orUnreachable = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, StorageUnreachable> =>
  Effect.catchTag(statement, "SqlError", ({ reason }) => {
    const why = reason.cause instanceof Error ? reason.cause.message : reason._tag
    return Effect.andThen(
      Effect.logError(`The audit cannot be written: ${why}`),
      new StorageUnreachable({ storage: "metadata" })
    )
  })

const textsOf = (entry: NewEntry) => ({
  ...entry,
  principal: storable(entry.principal),
  target: storable(entry.target),
  requestId: storable(entry.requestId)
})

/**
 * The statement that adds entries, which become rows of the chain as its transaction commits. With `made`, a part of a
 * `with` before it, it adds those whose number, counted from 0, is in its column `n`.
 */
export const insertEntries = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  entries: ReadonlyArray<NewEntry>,
  made?: Fragment
) => {
  const rows = entries.map((entry, n) => ({ n, ...textsOf(entry) }))
  return sql`
    insert into audit_entries (tenant, principal, method, action, target, outcome, status, request_id, remote,
      digest_before, digest_after, count)
    select ${nameOf(chain)}, principal, method, action, target, outcome, status, "requestId", remote, before, after, count
    from json_to_recordset(${JSON.stringify(rows)}::json) as entry(
      n integer, principal text, method text, action text, target text, outcome text, status integer, "requestId" text,
      remote text, before text, after text, count bigint)
    ${made === undefined ? sql`` : sql`join ${made} using (n) order by n`}`
}

/** Adds entries to the current transaction of the client, or as one. */
export const appendEntries = (sql: SqlClient.SqlClient, chain: Chain, entries: ReadonlyArray<NewEntry>) =>
  orUnreachable(insertEntries(sql, chain, entries))

/** The columns of a row as the members of an entry. */
export const entryColumns = (sql: SqlClient.SqlClient) => sql`
  seq::float8 as seq, flow_audit_time(at) as time, nullif(tenant, '') as tenant, principal, method, action, target,
  outcome, status, request_id as "requestId", remote, digest_before as before, digest_after as after,
  count::float8 as count, previous, hash`

const rowsOf = (rows: ReadonlyArray<AuditEntry>) =>
  rows.map((row): ListRow => ({ key: String(row.seq), json: JSON.stringify(row) }))

/** The audit in the tables `audit` and `audit_heads`. */
export const layer = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const matching = (chain: Chain, filter: AuditFilter) => {
      const { from, to, principal, action, target, outcome } = filter
      return wide.and([
        wide`tenant = ${nameOf(chain)}`,
        ...(from === undefined ? [] : [wide`at >= ${timeOf(wide, from)}`]),
        ...(to === undefined ? [] : [wide`at < ${timeOf(wide, to)}`]),
        ...(principal === undefined ? [] : [wide`principal = ${principal}`]),
        ...(action === undefined ? [] : [wide`action = ${action}`]),
        ...(target === undefined ? [] : [wide`target = ${target}`]),
        ...(outcome === undefined ? [] : [wide`outcome = ${outcome}`])
      ])
    }

    const ends = Effect.fnUntraced(function* (chain: Chain) {
      const [row] = yield* wide<{ first: number; last: number }>`
        select coalesce((select seq from audit where tenant = ${nameOf(chain)} order by seq limit 1), 1)::float8 as first,
          coalesce((select seq from audit_heads where tenant = ${nameOf(chain)}), 0)::float8 as last`
      return row ?? { first: 1, last: 0 }
    }, unreachable)

    const list = (chain: Chain, filter: AuditFilter, { after, limit }: ListSpan) =>
      Stream.unwrap(
        Effect.map(ends(chain), ({ first, last }) => {
          const isBackwards = filter.order === "newest"
          const order = wide.literal(isBackwards ? "desc" : "asc")
          const all = isBackwards
            ? { low: first, high: Math.min(last, Number(after ?? last + 1) - 1) }
            : { low: Math.max(first, Number(after ?? 0) + 1), high: last }
          return Stream.paginate({ ...all, left: limit ?? Number.POSITIVE_INFINITY }, ({ low, high, left }) => {
            const asked = Math.min(left, pageRows)
            const from = isBackwards ? Math.max(low, high - lookRows + 1) : low
            const to = isBackwards ? high : Math.min(high, low + lookRows - 1)
            const read = wide<AuditEntry>`
              select ${entryColumns(wide)} from audit
              where ${matching(chain, filter)} and seq >= ${from}::bigint and seq <= ${to}::bigint
              order by audit.seq ${order} limit ${asked}::bigint`
            return Effect.map(unreachable(read), (rows) => {
              const at = rows.length < asked ? undefined : rows.at(-1)?.seq
              const rest = isBackwards ? { low, high: (at ?? from) - 1 } : { low: (at ?? to) + 1, high }
              const next = { ...rest, left: left - rows.length }
              return [rowsOf(rows), next.left > 0 && next.low <= next.high ? Option.some(next) : Option.none()] as const
            })
          })
        })
      )

    return AuditStore.of({
      change: (chain, writes, entryOf) =>
        transaction(
          sql,
          Effect.tap(writes, (made) => {
            const entry = entryOf(made)
            return entry === undefined ? Effect.void : appendEntries(sql, chain, [entry])
          })
        ),
      append: (chain, entries) => unreachable(Effect.asVoid(appendEntries(sql, chain, entries))),
      list,
      heads: unreachable(
        Effect.map(
          sql<Head & { tenant: string }>`select tenant, seq::float8 as seq, hash from audit_heads order by tenant`,
          (rows) =>
            rows.map(({ tenant, ...head }) => ({ ...head, chain: tenant === "" ? undefined : TenantId(tenant) }))
        )
      ),
      expire: Effect.fn("AuditStore.expire")(function* (chain, age, entryOf) {
        const step = Effect.gen(function* () {
          const name = nameOf(chain)
          const [lock] = yield* wide<{ mine: boolean }>`
            select pg_try_advisory_xact_lock(hashtextextended(${`retention audit ${name}`}, 0)) as mine`
          if (lock?.mine !== true) return 0
          // Rows go in their order, so that what is left is one piece. The rows that stand for removed ones go with others.
          const gone = yield* wide<Head>`
            with oldest as materialized (
              select seq, at, action, hash from audit where tenant = ${name} order by seq limit ${expireRows}
            ), due as materialized (
              select seq, action, hash from oldest where seq < coalesce(
                (select min(seq) from oldest where at >= clock_timestamp() - ${age} * interval '1 millisecond'),
                9223372036854775807)
            ), gone as (
              delete from audit a using due where a.tenant = ${name} and a.seq = due.seq
                and exists (select 1 from due where action <> ${retentionAction})
              returning a.seq, a.hash
            )
            select seq::float8 as seq, hash from gone order by gone.seq`
          const last = gone.at(-1)
          if (last !== undefined) yield* appendEntries(wide, chain, [entryOf(last, gone.length)])
          return gone.length
        })
        return yield* transaction(wide, step, "10 minutes")
      })
    })
  })
)
