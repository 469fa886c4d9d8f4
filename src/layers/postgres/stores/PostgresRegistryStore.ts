import { Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { OverQuota } from "../../../services/blobs/Quota.ts"
import {
  isExpected,
  type Kept,
  type RegistryRow,
  RegistryStore,
  type RegistryVersion
} from "../../../services/registry/RegistryStore.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { listPages } from "../statements/Pages.ts"
import { isoTime } from "../statements/SqlText.ts"
import { checkQuota, referenced } from "../statements/StoredRows.ts"

/** Rolls the transaction back with the outcome. */
class Refused extends Data.TaggedError("Refused")<{ readonly kept: Kept }> {}

const refuse = (detail: string) => new Refused({ kept: { _tag: "Blocked", detail } })

/** The folders of a path, outermost first. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/").slice(0, -1)
  return segments.map((_, at) => segments.slice(0, at + 1).join("/"))
}

/** The registry in the tables `registry_paths` and `registry_versions`. */
export const layer = Layer.effect(
  RegistryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    /**
     * Locks the folders of a path, so that none is removed before the file is in it, and makes those that are missing.
     * Answers the path of one that is a file.
     */
    const lockFolders = Effect.fnUntraced(function* (tenant: TenantId, folders: ReadonlyArray<string>) {
      for (;;) {
        // All writers lock in this order. A path that another transaction is creating is waited for.
        yield* sql`
          insert into registry_paths (tenant, path, version)
          select ${tenant}, folder, 0 from unnest(${folders}::text[]) with ordinality as f(folder, depth)
          order by depth on conflict do nothing`
        const above = yield* sql<{ path: string; version: number }>`
          select path, version from registry_paths
          where tenant = ${tenant} and path = any(${folders}::text[]) order by path for share`
        const file = above.find(({ version }) => version > 0)
        if (file !== undefined) return file.path
        // Fewer when another transaction has removed one that this one has waited for.
        if (above.length === folders.length) return undefined
      }
    })

    const put: RegistryStore["Service"]["put"] = Effect.fn("RegistryStore.put")(function* (
      tenant,
      path,
      { sha256, size },
      expected,
      quota
    ) {
      const folders = foldersOf(path)
      const work = Effect.gen(function* (): Effect.fn.Return<Kept, SqlError | Refused | OverQuota> {
        const file = folders.length === 0 ? undefined : yield* lockFolders(tenant, folders)
        if (file !== undefined) return yield* refuse(`${file} is a file, so no path below it can exist`)
        const [counted] = yield* sql<{ version: number }>`
          insert into registry_paths as known (tenant, path, version) values (${tenant}, ${path}, 1)
          on conflict (tenant, path) do update set version = known.version + 1 where known.version > 0
          returning version`
        if (counted === undefined) return yield* refuse(`${path} is a folder of other files`)
        const { version } = counted
        const [latest] = yield* sql<{ sha256: string }>`
          select sha256 from registry_versions where tenant = ${tenant} and path = ${path}
          order by version desc limit 1`
        if (!isExpected(expected, latest?.sha256)) return yield* new Refused({ kept: { _tag: "Unexpected" } })
        yield* sql`
          insert into registry_versions (tenant, path, version, sha256, size, created_at)
          select tenant, path, version, ${sha256}, ${size}::bigint,
            case when version = 1 then created_at else clock_timestamp() end
          from registry_paths where tenant = ${tenant} and path = ${path}`
        yield* checkQuota(sql, tenant, quota)
        return { _tag: "Kept", version, before: latest?.sha256 }
      })
      return yield* sql.withTransaction(work).pipe(
        Effect.catchTags({
          Refused: ({ kept }) => Effect.succeed(kept),
          OverQuota: ({ usage }) => Effect.succeed<Kept>({ _tag: "Over", usage })
        })
      )
    }, unreachable)

    const get = Effect.fn("RegistryStore.get")(function* (tenant: TenantId, path: string, version?: number) {
      const [row] = yield* sql<RegistryVersion>`
        select path, version, sha256, size::float8 as size, flow_iso(created_at) as "createdAt" from registry_versions
        where tenant = ${tenant} and path = ${path} and ${version === undefined ? sql`true` : sql`version = ${version}::bigint`}
        order by version desc limit 1`
      return row
    }, unreachable)

    const remove = Effect.fn("RegistryStore.remove")(function* (
      tenant: TenantId,
      path: string,
      version?: number,
      seen?: string
    ) {
      const chosen = version === undefined ? sql`true` : sql`version = ${version}::bigint`
      const folders = foldersOf(path)
      const work = Effect.gen(function* () {
        // As in `put`, the folders first: the last version of the path takes those with it that are empty then.
        yield* sql`
          select 1 from registry_paths where tenant = ${tenant} and path = any(${[...folders, path]}::text[])
          order by path for update`
        if (seen !== undefined) {
          const [now] = yield* sql<{ sha256: string }>`
            select sha256 from registry_versions where tenant = ${tenant} and path = ${path} and ${chosen}
            order by version desc limit 1`
          if (now?.sha256 !== seen) return undefined
        }
        const gone = yield* sql<{ sha256: string }>`
          delete from registry_versions where tenant = ${tenant} and path = ${path} and ${chosen} returning sha256`
        if (gone.length === 0) return undefined
        const [left] = yield* sql`select 1 from registry_versions where tenant = ${tenant} and path = ${path} limit 1`
        if (left === undefined) yield* removePath(tenant, [path, ...folders.toReversed()])
        return [...new Set(gone.map(({ sha256 }) => sha256))]
      })
      return yield* sql.withTransaction(work)
    }, unreachable)

    /** Removes a path without versions, and the folders that are empty then: from the innermost to the outermost. */
    const removePath = Effect.fnUntraced(function* (tenant: TenantId, paths: ReadonlyArray<string>) {
      for (const one of paths) {
        yield* sql`
          delete from registry_paths p where tenant = ${tenant} and path = ${one} and not exists (
            select 1 from registry_paths where tenant = ${tenant} and path > ${`${one}/`} and path < ${`${one}0`})`
      }
    })

    return RegistryStore.of({
      put,
      get,
      remove,
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<RegistryRow>`
            select p.path as key, v.sha256,
              '{"name":' || to_json(p.path) || ',"updateTime":"' || ${isoTime(wide, "v.created_at")}
                || '","creationTime":"' || ${isoTime(wide, "p.created_at")} || '","version":' || v.version || '}' as json
            from registry_paths p cross join lateral (
              select sha256, created_at, version from registry_versions
              where tenant = p.tenant and path = p.path order by version desc limit 1
            ) v
            where p.tenant = ${tenant} and p.version > 0 and p.path > ${after ?? ""}
            order by p.path limit ${rows}::bigint`
        ),
      references: Effect.fn("RegistryStore.references")(
        (tenant, sha256s) => referenced(sql, "registry_versions", tenant, sha256s),
        unreachable
      )
    })
  })
)
