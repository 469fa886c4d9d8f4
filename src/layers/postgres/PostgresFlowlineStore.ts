import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import {
  FlowlineStore,
  type FlowlineVersion,
  type NewVersion,
  type Revision
} from "../../services/flowlines/FlowlineStore.ts"
import type { FlowlineId } from "../../services/shared/FlowlineId.ts"
import type { ListRow } from "../../services/shared/Listing.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { byTurn } from "./ByTurn.ts"
import { bytesBefore, listPages, type PageRow, pageBytes } from "./Pages.ts"
import { WideSql } from "./Postgres.ts"

/** Flowlines in the tables `flowlines` and `flowline_versions`. */
export const layer = Layer.effect(
  FlowlineStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const create = Effect.fn("FlowlineStore.create")(function* (
      tenant: TenantId,
      flowline: NewVersion,
      saved: boolean
    ) {
      const [row] = yield* sql<{ savedAt: string }>`
        with flowline as (
          insert into flowlines (tenant, id, version, saved, unsaved_at)
          values (${tenant}, ${flowline.id}, 1, ${saved}, case when ${saved} then null else clock_timestamp() end)
        )
        insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
        values (${tenant}, ${flowline.id}, 1, ${flowline.dag}, ${flowline.platformId}, clock_timestamp())
        returning flow_iso(saved_at) as "savedAt"`
      return { ...flowline, version: 1, savedAt: row!.savedAt }
    }, unreachable)

    const revise = Effect.fn("FlowlineStore.revise")(function* (
      tenant: TenantId,
      flowline: NewVersion,
      expected: ReadonlyArray<number> | undefined
    ): Effect.fn.Return<Revision, SqlError> {
      const [row] = yield* sql<{ version: number; before: string | null }>`
        with bumped as (
          update flowlines set version = version + 1
          where tenant = ${tenant} and id = ${flowline.id} and saved
            and ${expected === undefined ? sql`true` : sql.in("version", expected)}
          returning version
        )
        insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
        select ${tenant}, ${flowline.id}, version, ${flowline.dag}, ${flowline.platformId}, clock_timestamp() from bumped
        returning version, flow_flowline_digest(tenant, id, version - 1) as before`
      if (row !== undefined) return { _tag: "Saved", version: row.version, before: row.before ?? undefined }
      const [found] = yield* sql`
        select 1 from flowlines where tenant = ${tenant} and id = ${flowline.id} and saved`
      return found === undefined ? { _tag: "Missing" } : { _tag: "Changed" }
    }, unreachable)

    const getVersion = Effect.fnUntraced(function* (tenant: TenantId, id: FlowlineId, version: number) {
      const [row] = yield* sql<FlowlineVersion>`
        select v.id, v.version, v.dag, v.platform_id as "platformId", flow_iso(v.saved_at) as "savedAt"
        from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id and v.version = ${version}
        where f.tenant = ${tenant} and f.id = ${id} and f.saved`
      return row
    }, unreachable)

    const getCurrent = byTurn((keys: ReadonlyArray<readonly [tenant: TenantId, id: FlowlineId]>) => {
      const tenants = keys.map(([tenant]) => tenant)
      const ids = keys.map(([, id]) => id)
      const rows = sql<FlowlineVersion & { readonly asked: number }>`
        select k.asked::integer as asked, v.id, v.version, v.dag, v.platform_id as "platformId",
          flow_iso(v.saved_at) as "savedAt"
        from unnest(${tenants}::text[], ${ids}::text[]) with ordinality as k(tenant, id, asked)
          join flowlines f on f.tenant = k.tenant and f.id = k.id and f.saved
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
      const rows = yield* sql`select 1 from flowlines where tenant = ${tenant} and id = ${id} and saved`
      return rows.length > 0
    }, unreachable)

    const remove = Effect.fn("FlowlineStore.remove")(function* (tenant: TenantId, id: FlowlineId) {
      // Executions refer to the versions that they run. Retention removes the flowline when none is left.
      const [row] = yield* sql<{ digest: string }>`
        update flowlines set saved = false, unsaved_at = clock_timestamp()
        where tenant = ${tenant} and id = ${id} and saved
        returning flow_flowline_digest(tenant, id, version) as digest`
      return row?.digest
    }, unreachable)

    return FlowlineStore.of({
      create,
      revise,
      get: (tenant, id, version) =>
        version === undefined ? getCurrent([tenant, id]) : getVersion(tenant, id, version),
      isSaved,
      remove,
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow & PageRow>`
            select ordinal::text as key, before >= ${pageBytes}::bigint as over,
              case when before >= ${pageBytes}::bigint then ''
                else '{"id":' || to_json(id) || ',"flowline":' || dag || ',"version":' || version
                || ',"platformId":' || to_json(platform_id) || ',"@timestamp":"' || flow_iso(saved_at) || '"}' end as json
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
