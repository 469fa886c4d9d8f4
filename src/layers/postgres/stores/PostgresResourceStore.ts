import { Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { OverQuota, Quota } from "../../../services/blobs/Quota.ts"
import {
  type Made,
  type Registration,
  ResourceStore,
  type StoredVersion,
  type Transfer
} from "../../../services/resources/ResourceStore.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { bytesBefore, listPages, type PageRow, pageBytes } from "../statements/Pages.ts"
import { checkQuota, dropEmptyNames, referenced } from "../statements/StoredRows.ts"

/** Rolls the transaction back with the outcome; nothing is created. */
class Refused extends Data.TaggedError("Refused")<{ readonly made: Made }> {}

interface Row {
  readonly json: string
}

const decode = ({ json }: Row): StoredVersion => JSON.parse(json) as StoredVersion

/** Stored resources in the tables `stored_names` and `stored_versions`. */
export const layer = Layer.effect(
  ResourceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    /** A row `v` of `stored_versions` as JSON text of the model. */
    const jsonOf = (client: SqlClient.SqlClient) => client`
      '{"name":' || to_json(v.name) || ',"version":' || v.version
        || ',"place":' || case when v.sha256 is null then '{"path":' || to_json(v.path) || '}'
          else '{"sha256":"' || v.sha256 || '"}' end
        || ',"size":' || v.size || ',"embedded":' || v.embedded::text
        || coalesce(',"properties":' || v.properties, '')
        || coalesce(',"encoding":' || to_json(v.encoding), '')
        || coalesce(',"compression":' || to_json(v.compression), '')
        || ',"createdAt":"' || flow_iso(v.created_at) || '"}'`

    const versions = (tenant: TenantId, name: string, version?: number) =>
      Effect.map(
        sql<Row>`
          select ${jsonOf(sql)} as json from stored_versions v
          where v.tenant = ${tenant} and v.name = ${name}
            and ${version === undefined ? sql`true` : sql`v.version = ${version}`}
          order by v.version`,
        (rows) => rows.map(decode)
      )

    /** Locks names in sorted order, so that two transactions with the same names cannot deadlock. */
    const lock = Effect.fnUntraced(function* (tenant: TenantId, from: string, to: string) {
      for (const name of [...new Set([from, to])].sort()) {
        // A new destination needs a row to lock. The row is kept only if a version is created.
        yield* name === to
          ? sql`insert into stored_names as known (tenant, name, last_version) values (${tenant}, ${name}, 0)
              on conflict (tenant, name) do update set last_version = known.last_version`
          : sql`select 1 from stored_names where tenant = ${tenant} and name = ${name} for update`
      }
    })

    const transfer = Effect.fn("ResourceStore.transfer")(function* (tenant: TenantId, it: Transfer, quota: Quota) {
      const { from, to, version, embedded, isMove } = it
      const chosen = version === undefined ? sql`true` : sql`version = ${version}`
      const work = Effect.gen(function* (): Effect.fn.Return<Made, SqlError | Refused | OverQuota> {
        yield* lock(tenant, from, to)
        const asked = yield* sql<{ version: number }>`
          select version::float8 as version from stored_versions where tenant = ${tenant} and name = ${from} and ${chosen}
          order by stored_versions.version for update`
        if (asked.length === 0) return yield* new Refused({ made: { _tag: "Missing" } })
        const made = yield* sql<{ version: number }>`
          insert into stored_versions (tenant, name, version, sha256, path, size, embedded, properties, encoding,
            compression, created_at)
          select tenant, ${to}, version, sha256, path, size, embedded or ${embedded}, properties, encoding, compression,
            ${isMove ? sql`created_at` : sql`clock_timestamp()`}
          from stored_versions where tenant = ${tenant} and name = ${from} and ${chosen}
          on conflict do nothing returning version::float8 as version`
        const news = new Set(made.map(({ version }) => version))
        if (made.length < asked.length) {
          const there = asked.map(({ version }) => version).filter((version) => !news.has(version))
          return yield* new Refused({ made: { _tag: "Exists", versions: there } })
        }
        const last = made.reduce((most, { version }) => Math.max(most, version), 0)
        yield* sql`update stored_names set last_version = greatest(last_version, ${last})
          where tenant = ${tenant} and name = ${to}`
        if (isMove) {
          yield* sql`delete from stored_versions where tenant = ${tenant} and name = ${from} and ${chosen}`
          yield* dropEmptyNames(sql, tenant, [from])
        }
        yield* checkQuota(sql, tenant, quota)
        // The name may have had other versions before.
        const there = yield* versions(tenant, to, version)
        return { _tag: "Made", versions: there.filter((it) => news.has(it.version)) }
      })
      return yield* sql.withTransaction(work).pipe(
        Effect.catchTags({
          Refused: ({ made }) => Effect.succeed(made),
          OverQuota: ({ usage }) => Effect.succeed<Made>({ _tag: "Over", usage })
        })
      )
    }, unreachable)

    const register = Effect.fn("ResourceStore.register")(function* (tenant: TenantId, it: Registration) {
      const { name, path, size, version, properties, encoding, compression } = it
      const work = Effect.gen(function* (): Effect.fn.Return<Made, SqlError | Refused> {
        const [counted] = yield* sql<{ version: number }>`
          insert into stored_names as known (tenant, name, last_version) values (${tenant}, ${name}, ${version ?? 1})
          on conflict (tenant, name) do update set last_version =
            ${version === undefined ? sql`known.last_version + 1` : sql`greatest(known.last_version, ${version})`}
          returning last_version::float8 as version`
        const number = version ?? counted!.version
        const made = yield* sql`
          insert into stored_versions (tenant, name, version, path, size, properties, encoding, compression)
          values (${tenant}, ${name}, ${number}, ${path}, ${size}::bigint,
            ${properties === undefined ? null : JSON.stringify(properties)}, ${encoding ?? null}, ${compression ?? null})
          on conflict do nothing returning 1`
        if (made.length === 0) return yield* new Refused({ made: { _tag: "Exists", versions: [number] } })
        return { _tag: "Made", versions: yield* versions(tenant, name, number) }
      })
      return yield* sql.withTransaction(work).pipe(Effect.catchTag("Refused", ({ made }) => Effect.succeed(made)))
    }, unreachable)

    const remove = Effect.fn("ResourceStore.remove")(function* (tenant: TenantId, name: string, version?: number) {
      const chosen = version === undefined ? sql`true` : sql`version = ${version}`
      const work = Effect.gen(function* () {
        yield* sql`select 1 from stored_names where tenant = ${tenant} and name = ${name} for update`
        const gone = yield* sql<{ sha256: string | null }>`
          delete from stored_versions where tenant = ${tenant} and name = ${name} and ${chosen} returning sha256`
        if (gone.length === 0) return undefined
        yield* dropEmptyNames(sql, tenant, [name])
        return [...new Set(gone.flatMap(({ sha256 }) => sha256 ?? []))]
      })
      return yield* sql.withTransaction(work)
    }, unreachable)

    return ResourceStore.of({
      transfer,
      register,
      remove,
      versions: Effect.fn("ResourceStore.versions")(versions, unreachable),
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow & PageRow>`
            select v.name as key, v.before >= ${pageBytes}::bigint as over,
              case when v.before >= ${pageBytes}::bigint then '' else ${jsonOf(wide)} end as json
            from (
              select *, ${bytesBefore(wide, wide`octet_length(properties)`, wide`name`)} as before from (
                select latest.* from stored_names n cross join lateral (
                  select * from stored_versions v
                  where v.tenant = n.tenant and v.name = n.name order by v.version desc limit 1
                ) as latest
                where n.tenant = ${tenant} and n.name > ${after ?? ""} order by n.name limit ${rows}::bigint
              ) as found
            ) as v
            order by v.name`
        ),
      references: Effect.fn("ResourceStore.references")(
        (tenant, sha256s) => referenced(sql, "stored_versions", tenant, sha256s),
        unreachable
      )
    })
  })
)
