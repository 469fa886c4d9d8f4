import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { OverQuota, Quota } from "../../../services/blobs/Quota.ts"
import {
  type FlowlineKind,
  FlowlineStore,
  type FlowlineVersion,
  type FullVersion,
  type NewVersion,
  type Revision
} from "../../../services/flowlines/FlowlineStore.ts"
import { flowlineScope } from "../../../services/runs/PositionStore.ts"
import type { FlowlineId } from "../../../services/shared/FlowlineId.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { batchedReads } from "../statements/BatchedReads.ts"
import { bytesBefore, listPages, type PageRow, pageBytes } from "../statements/Pages.ts"
import { isoTime, storable } from "../statements/SqlText.ts"
import { checkQuota, reached } from "../statements/StoredRows.ts"

/** Flowlines in the tables `flowlines` and `flowline_versions`. */
export const layer = Layer.effect(
  FlowlineStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    /** Adds a version only if the tenant's versions are within the quota then. */
    const within = <A, E>(tenant: TenantId, quota: Quota | undefined, write: Effect.Effect<A, E>) =>
      quota === undefined || (quota.bytes === undefined && quota.entries === undefined)
        ? write
        : sql.withTransaction(Effect.tap(write, checkQuota(sql, tenant, quota)))

    const columns = sql.literal("tenant, id, version, dag, platform_id, source, filename, restored, saved_at")
    const valuesOf = ({ dag, platformId, file, restored }: NewVersion) =>
      sql`${dag}::text, ${platformId}::text, ${file?.bytes ?? null}::bytea,
        ${file?.name === undefined ? null : storable(file.name)}::text, ${restored ?? null}::integer, clock_timestamp()`

    const create = Effect.fn("FlowlineStore.create")(function* (
      tenant: TenantId,
      flowline: NewVersion,
      keeping: FlowlineKind,
      quota?: Quota
    ): Effect.fn.Return<FlowlineVersion, SqlError | OverQuota> {
      const saved = keeping === "saved"
      const [row] = yield* within(
        tenant,
        quota,
        sql<{ savedAt: string }>`
        with flowline as (
          insert into flowlines (tenant, id, version, saved, generated, unsaved_at)
          values (${tenant}, ${flowline.id}, 1, ${saved}, ${keeping === "once"},
            case when ${saved} then null else clock_timestamp() end)
        )
        insert into flowline_versions (${columns})
        select ${tenant}, ${flowline.id}, 1, ${valuesOf(flowline)}
        returning flow_iso(saved_at) as "savedAt"`
      )
      const { id, dag, platformId } = flowline
      return { id, dag, platformId, version: 1, savedAt: row!.savedAt }
    }, unreachable)

    const revise = Effect.fn("FlowlineStore.revise")(function* (
      tenant: TenantId,
      flowline: NewVersion,
      expected: ReadonlyArray<number> | undefined,
      quota?: Quota
    ): Effect.fn.Return<Revision, SqlError | OverQuota> {
      const [row] = yield* within(
        tenant,
        quota,
        sql<{ version: number; before: string | null }>`
        with bumped as (
          update flowlines set version = version + 1
          where tenant = ${tenant} and id = ${flowline.id} and saved
            and ${expected === undefined ? sql`true` : sql.in("version", expected)}
          returning version
        )
        insert into flowline_versions (${columns})
        select ${tenant}, ${flowline.id}, version, ${valuesOf(flowline)} from bumped
        returning version, flow_flowline_digest(tenant, id, version - 1) as before`
      )
      if (row !== undefined) return { _tag: "Saved", version: row.version, before: row.before ?? undefined }
      const [found] = yield* sql`
        select 1 from flowlines where tenant = ${tenant} and id = ${flowline.id} and saved`
      return found === undefined ? { _tag: "Missing" } : { _tag: "Changed" }
    }, unreachable)

    const full = Effect.fn("FlowlineStore.full")(function* (
      tenant: TenantId,
      id: FlowlineId,
      version: number
    ): Effect.fn.Return<FullVersion | undefined, SqlError> {
      const [row] = yield* sql<
        FlowlineVersion & {
          readonly current: number
          readonly source: Uint8Array<ArrayBuffer> | null
          readonly filename: string | null
          readonly restored: number | null
        }
      >`
        select v.id, v.version, v.dag, v.platform_id as "platformId", flow_iso(v.saved_at) as "savedAt",
          f.version as current, v.source, v.filename, v.restored
        from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id and v.version = ${version}::bigint
        where f.tenant = ${tenant} and f.id = ${id} and f.saved`
      if (row === undefined) return undefined
      const { source, filename, restored, ...stored } = row
      const name = filename === null ? {} : { name: filename }
      return {
        ...stored,
        file: source === null ? undefined : { bytes: source, ...name },
        restored: restored ?? undefined
      }
    }, unreachable)

    const getVersion = Effect.fnUntraced(function* (tenant: TenantId, id: FlowlineId, version: number) {
      const [row] = yield* sql<FlowlineVersion>`
        select v.id, v.version, v.dag, v.platform_id as "platformId", flow_iso(v.saved_at) as "savedAt"
        from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id and v.version = ${version}::bigint
        where f.tenant = ${tenant} and f.id = ${id} and (f.saved or f.generated)`
      return row
    }, unreachable)

    const getCurrent = batchedReads((keys: ReadonlyArray<readonly [tenant: TenantId, id: FlowlineId]>) => {
      const tenants = keys.map(([tenant]) => tenant)
      const ids = keys.map(([, id]) => id)
      const rows = sql<FlowlineVersion & { readonly asked: number }>`
        select k.asked::integer as asked, v.id, v.version, v.dag, v.platform_id as "platformId",
          flow_iso(v.saved_at) as "savedAt"
        from unnest(${tenants}::text[], ${ids}::text[]) with ordinality as k(tenant, id, asked)
          join flowlines f on f.tenant = k.tenant and f.id = k.id and (f.saved or f.generated)
          join flowline_versions v on v.tenant = f.tenant and v.id = f.id and v.version = f.version`
      return unreachable(
        Effect.map(rows, (rows) => {
          const found = new Array<FlowlineVersion | undefined>(keys.length)
          for (const row of rows) found[row.asked - 1] = row
          return found
        })
      )
    })

    const isSaved = Effect.fn("FlowlineStore.isSaved")(function* (tenant: TenantId, id: FlowlineId) {
      return yield* reached(sql`select 1 from flowlines where tenant = ${tenant} and id = ${id} and saved`)
    }, unreachable)

    const remove = Effect.fn("FlowlineStore.remove")(
      function* (tenant: TenantId, id: FlowlineId, seen?: number) {
        // Executions refer to the versions that they run. Retention removes the flowline when none is left.
        const [row] = yield* sql<{ digest: string }>`
        update flowlines set saved = false, generated = false, unsaved_at = clock_timestamp()
        where tenant = ${tenant} and id = ${id} and (saved or generated)
          and ${seen === undefined ? sql`true` : sql`version = ${seen}`}
        returning flow_flowline_digest(tenant, id, version) as digest`
        // A second statement, because it sees the executions that were written while the first one waited for the lock.
        if (row !== undefined)
          yield* sql`delete from positions where tenant = ${tenant} and scope = ${flowlineScope(id)}`
        return row?.digest
      },
      (writes) => transaction(sql, writes)
    )

    return FlowlineStore.of({
      create,
      revise,
      get: (tenant, id, version) =>
        version === undefined ? getCurrent([tenant, id]) : getVersion(tenant, id, version),
      full,
      versions: (tenant, id, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow>`
            select v.version::text as key,
              json_build_object('version', v.version, '@timestamp', ${isoTime(wide, "v.saved_at")},
                'platformId', v.platform_id,
                'current', v.version = f.version, 'original', v.source is not null,
                'size', coalesce(octet_length(v.source), octet_length(v.dag)),
                'filename', v.filename, 'restored', v.restored)::text as json
            from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id
            where f.tenant = ${tenant} and f.id = ${id} and f.saved
              and v.version < ${after ?? String(2 ** 31)}::bigint
            order by v.version desc limit ${rows}::bigint`
        ),
      isSaved,
      remove,
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow & PageRow>`
            select ordinal::text as key, before >= ${pageBytes}::bigint as over,
              case when before >= ${pageBytes}::bigint then ''
                else '{"id":' || to_json(id) || ',"flowline":' || dag || ',"version":' || version
                || ',"platformId":' || to_json(platform_id)
                || ',"@timestamp":"' || ${isoTime(wide, "saved_at")} || '"}' end as json
            from (
              select *, ${bytesBefore(wide, wide`octet_length(dag)`, wide`ordinal`)} as before from (
                select f.ordinal, f.id, v.version, v.dag, v.platform_id, v.saved_at
                from flowlines f join flowline_versions v
                  on v.tenant = f.tenant and v.id = f.id and v.version = f.version
                where f.tenant = ${tenant} and f.saved and f.ordinal > ${after ?? "0"}::bigint
                order by f.ordinal limit ${rows}::bigint
              ) as found
            ) as page
            order by ordinal`
        )
    })
  })
)
