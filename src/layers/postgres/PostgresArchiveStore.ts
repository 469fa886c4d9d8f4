import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import type { Archive, ArchiveId } from "../../services/archives/Archive.ts"
import { ArchiveStore, type NewArchive } from "../../services/archives/ArchiveStore.ts"
import type { ListRow } from "../../services/shared/Listing.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { listPages } from "./Pages.ts"
import { WideSql } from "./Postgres.ts"

// The cursor comes from the client. One that is not an ordinal starts at the first row.
const ordinal = (key: string | undefined): string => (key !== undefined && /^\d{1,18}$/.test(key) ? key : "0")

/** Archives in the table `archives`. */
export const layer = Layer.effect(
  ArchiveStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const put = Effect.fn("ArchiveStore.put")(function* (tenant: TenantId, archive: NewArchive) {
      const { id, flowlineId, sha256, size, entries } = archive
      yield* sql`
        insert into archives (tenant, id, flowline_id, sha256, size, entries)
        values (${tenant}, ${id}, ${flowlineId}, ${sha256}, ${size}, ${entries})
        on conflict (tenant, id) do nothing`
    }, unreachable)

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
      yield* sql`delete from archives where tenant = ${tenant}`
    }, unreachable)

    const references = Effect.fn("ArchiveStore.references")(function* (
      tenant: TenantId,
      sha256s: ReadonlyArray<string>
    ) {
      if (sha256s.length === 0) return []
      const rows = yield* sql<{ sha256: string }>`
        select distinct sha256 from archives where tenant = ${tenant} and ${sql.in("sha256", sha256s)}`
      return rows.map((row) => row.sha256)
    }, unreachable)

    return ArchiveStore.of({
      put,
      get,
      remove,
      removeAll,
      references,
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow>`
            select ordinal::text as key,
              '{"id":' || to_json(id) || ',"flowlineId":' || to_json(flowline_id) || ',"size":' || size
              || ',"sha256":' || to_json(sha256) || ',"entries":' || entries
              || ',"createdAt":"' || flow_iso(created_at) || '"}' as json
            from archives where tenant = ${tenant} and ordinal > ${ordinal(after)}::bigint
            order by ordinal limit ${rows}::bigint`
        )
    })
  })
)
