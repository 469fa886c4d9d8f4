import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { Archive, ArchiveId } from "../../../services/archives/Archive.ts"
import {
  type ArchiveQuota,
  ArchiveStore,
  type NewArchive,
  type TooManyArchives,
  tooManyArchives
} from "../../../services/archives/ArchiveStore.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { listPages } from "../statements/Pages.ts"
import { isoTime, ordinal, timeOf } from "../statements/SqlText.ts"
import { referenced } from "../statements/StoredRows.ts"
import { noteGone } from "./PostgresBlobLedger.ts"

/**
 * The part of a `with` that adds an archive when the part `ended` has reached the row of its run, which it returns. An
 * archive must not appear before its run has ended, or for an attempt that is over.
 */
export const addArchive = (sql: SqlClient.SqlClient, archive: NewArchive | undefined) => {
  if (archive === undefined) return sql.literal("")
  const { id, flowlineId, sha256, size, entries } = archive
  return sql`, archive as (
    insert into archives (tenant, id, flowline_id, sha256, size, entries)
    select tenant, ${id}::text, ${flowlineId}::text, ${sha256}::text, ${size}::bigint, ${entries}::integer from ended
    on conflict (tenant, id) do update set flowline_id = excluded.flowline_id, sha256 = excluded.sha256,
      size = excluded.size, entries = excluded.entries, created_at = clock_timestamp()
  )`
}

/**
 * Makes a write that may add an archive, and undoes it when the tenant's archives are too much then. The counter is locked
 * by the write until the end of the transaction, so that of two that fit alone only one succeeds.
 */
export const withinQuota = (
  sql: SqlClient.SqlClient,
  tenant: TenantId,
  archive: NewArchive | undefined,
  quota: ArchiveQuota | undefined,
  write: Effect.Effect<boolean, SqlError>
): Effect.Effect<boolean, SqlError | TooManyArchives> => {
  const isLimited = quota?.archives !== undefined || quota?.archiveBytes !== undefined
  if (archive === undefined || quota === undefined || !isLimited) return write
  return sql.withTransaction(
    Effect.gen(function* () {
      const reached = yield* write
      const [used] = yield* sql<{ number: number; bytes: number }>`
        select number::float8 as number, bytes::float8 as bytes from history_usage
        where tenant = ${tenant} and kind = 'archives'`
      const over = reached && used !== undefined ? tooManyArchives(quota, used) : undefined
      return over === undefined ? reached : yield* over
    })
  )
}

/** Archives in the table `archives`. */
export const layer = Layer.effect(
  ArchiveStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const get = Effect.fn("ArchiveStore.get")(function* (tenant: TenantId, id: ArchiveId) {
      const [row] = yield* sql<Archive>`
        select id, flowline_id as "flowlineId", size::float8 as size, sha256, entries,
          flow_iso(created_at) as "createdAt"
        from archives where tenant = ${tenant} and id = ${id}`
      return row
    }, unreachable)

    const remove = Effect.fn("ArchiveStore.remove")(function* (tenant: TenantId, id: ArchiveId) {
      const [row] = yield* sql<{ sha256: string }>`
        delete from archives where tenant = ${tenant} and id = ${id} returning sha256`
      return row?.sha256
    }, unreachable)

    const removeAll = Effect.fn("ArchiveStore.removeAll")(function* (tenant: TenantId) {
      const now = timeOf(sql, yield* Clock.currentTimeMillis)
      const [row] = yield* sql<{ count: number }>`
        with gone as (delete from archives where tenant = ${tenant} returning sha256),
        ${noteGone(sql, tenant, "archives", now)}
        select count(*)::float8 as count from gone`
      return row?.count ?? 0
    }, unreachable)

    return ArchiveStore.of({
      get,
      remove,
      removeAll,
      references: Effect.fn("ArchiveStore.references")(
        (tenant, sha256s) => referenced(sql, "archives", tenant, sha256s),
        unreachable
      ),
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow>`
            select ordinal::text as key,
              '{"id":' || to_json(id) || ',"flowlineId":' || to_json(flowline_id) || ',"size":' || size
              || ',"sha256":' || to_json(sha256) || ',"entries":' || entries
              || ',"createdAt":"' || ${isoTime(wide, "created_at")} || '"}' as json
            from archives where tenant = ${tenant} and ordinal > ${ordinal(after)}::bigint
            order by ordinal limit ${rows}::bigint`
        )
    })
  })
)
