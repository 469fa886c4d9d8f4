import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { hasWildcard } from "../../../languages/Wildcard.ts"
import type { ArtifactName, ArtifactVersion, GroupName } from "../../../services/artifacts/Artifact.ts"
import {
  type ArtifactFilter,
  ArtifactStore,
  type Build,
  type NewArtifact,
  type Put,
  type Removal,
  type StoredArtifact
} from "../../../services/artifacts/ArtifactStore.ts"
import { versionKey } from "../../../services/artifacts/VersionKey.ts"
import type { NewEntry } from "../../../services/audit/AuditStore.ts"
import type { Quota } from "../../../services/blobs/Quota.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { bytesBefore, listPages, type PageRow, pageBytes } from "../statements/Pages.ts"
import { checkQuota, dropEmptyNames, referenced } from "../statements/StoredRows.ts"
import { addBuild, originOf, sharedAdd } from "./NewBuilds.ts"

const like = (pattern: string): string =>
  pattern
    .replace(/[\\%_]/g, "\\$&")
    .replaceAll("*", "%")
    .replaceAll("?", "_")

/** Artifacts in the tables `artifacts` and `artifact_versions`. */
export const layer = Layer.effect(
  ArtifactStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql
    const add = yield* sharedAdd(sql)

    const find = (tenant: TenantId, group: GroupName, artifact: ArtifactName, version: ArtifactVersion) =>
      Effect.map(
        sql<StoredArtifact & { described: string }>`
          select doc, described, sha256, size::float8 as size from artifact_versions
          where tenant = ${tenant} and grp = ${group} and artifact = ${artifact} and version_key = ${versionKey(version)}`,
        ([row]) => row
      )

    const put = Effect.fn("ArtifactStore.put")(function* (
      tenant: TenantId,
      it: NewArtifact,
      quota: Quota,
      entry: NewEntry,
      expectsMore = false
    ) {
      const { group, artifact, version, doc, described, sha256, size } = it
      const isLimited = quota.bytes !== undefined || quota.entries !== undefined
      const added = isLimited
        ? sql.withTransaction(Effect.tap(addBuild(sql, tenant, { it, entry }), checkQuota(sql, tenant, quota)))
        : add(tenant, { it, entry, expectsMore })
      const write: Effect.Effect<Put, Effect.Error<typeof added>> = Effect.gen(function* () {
        if (yield* added) return { _tag: "Stored", artifact: { doc, sha256, size } }
        const known = yield* find(tenant, group, artifact, version)
        // Somebody has removed the version since.
        if (known === undefined) return yield* write
        const isSame = known.sha256 === sha256 && known.described === described
        return isSame ? { _tag: "Repeated", artifact: known } : { _tag: "Different" }
      })
      return yield* write.pipe(
        Effect.catchTag("OverQuota", ({ usage }) => Effect.succeed<Put>({ _tag: "Over", usage }))
      )
    }, unreachable)

    const latest = Effect.fnUntraced(function* (tenant: TenantId, group: GroupName, artifact: ArtifactName) {
      const [row] = yield* sql<StoredArtifact>`
        select v.doc, v.sha256, v.size::float8 as size
        from artifacts a join artifact_versions v on v.tenant = a.tenant and v.grp = a.grp
          and v.artifact = a.artifact and v.version_key = a.latest_key
        where a.tenant = ${tenant} and a.grp = ${group} and a.artifact = ${artifact}`
      return row
    })

    const named = (column: "grp" | "artifact", pattern: string | undefined) => {
      if (pattern === undefined) return wide`true`
      return hasWildcard(pattern)
        ? wide`v.${wide(column)} like ${like(pattern)} escape '\\'`
        : wide`v.${wide(column)} = ${pattern}`
    }

    const list = (tenant: TenantId, filter: ArtifactFilter, after: string | undefined, rows: number) => {
      const [group = "", artifact = "", key = ""] = after?.split("\t") ?? []
      const from = filter.all
        ? wide`artifact_versions v`
        : wide`artifacts a join artifact_versions v on v.tenant = a.tenant and v.grp = a.grp
            and v.artifact = a.artifact and v.version_key = a.latest_key`
      const start = filter.all
        ? wide`(v.grp, v.artifact, v.version_key) > (${group}, ${artifact}, ${key})`
        : wide`(a.grp, a.artifact) > (${group}, ${artifact})`
      const order = filter.all ? wide`v.grp, v.artifact, v.version_key` : wide`a.grp, a.artifact`
      return wide<ListRow & PageRow & { sha256: string }>`
        select grp || chr(9) || artifact || chr(9) || version_key as key, sha256, before >= ${pageBytes}::bigint as over,
          case when before >= ${pageBytes}::bigint then '' else doc end as json
        from (
          select *, ${bytesBefore(wide, wide`octet_length(doc)`, wide`grp, artifact, version_key`)} as before from (
            select v.grp, v.artifact, v.version_key, v.doc, v.sha256 from ${from}
            where ${filter.all ? wide`v` : wide`a`}.tenant = ${tenant} and ${start} and ${named("grp", filter.group)}
              and ${named("artifact", filter.artifact)}
              and ${filter.type === undefined ? wide`true` : wide`v.type = ${filter.type}`}
            order by ${order} limit ${rows}::bigint
          ) as found
        ) as page
        order by grp, artifact, version_key`
    }

    const remove = Effect.fn("ArtifactStore.remove")(function* (
      tenant: TenantId,
      group: GroupName,
      artifact: ArtifactName,
      versions?: ReadonlyArray<ArtifactVersion>
    ) {
      const keys = [...new Set(versions?.map(versionKey))]
      const chosen = versions === undefined ? sql`true` : sql`version_key = any(${keys}::text[])`
      const missing = (versions: ReadonlyArray<ArtifactVersion>): Removal => ({ _tag: "Missing", versions })
      const erase = Effect.gen(function* () {
        const [known] = yield* sql`
          select 1 from artifacts where tenant = ${tenant} and grp = ${group} and artifact = ${artifact} for update`
        if (known === undefined) return missing([])
        const found = yield* sql<{ version: ArtifactVersion; sha256: string }>`
          select version, sha256 from artifact_versions
          where tenant = ${tenant} and grp = ${group} and artifact = ${artifact} and ${chosen}`
        const there = new Set(found.map(({ version }) => version))
        const gone = new Set(versions?.filter((version) => !there.has(version)))
        if (gone.size > 0) return missing([...gone])
        const origins = found.map(({ version }) => originOf(group, artifact, version))
        const names = yield* sql<{ name: string }>`
          select n.name from stored_names n where n.tenant = ${tenant} and n.name in (
            select name from stored_versions where tenant = ${tenant} and origin = any(${origins}::text[]))
          order by n.name for update`
        yield* sql`delete from stored_versions where tenant = ${tenant} and origin = any(${origins}::text[])`
        yield* dropEmptyNames(
          sql,
          tenant,
          names.map(({ name }) => name)
        )
        yield* sql`
          delete from artifact_versions
          where tenant = ${tenant} and grp = ${group} and artifact = ${artifact} and ${chosen}`
        const [left] = yield* sql<{ key: string | null }>`
          select max(version_key) as key from artifact_versions
          where tenant = ${tenant} and grp = ${group} and artifact = ${artifact}`
        yield* left?.key == null
          ? sql`delete from artifacts where tenant = ${tenant} and grp = ${group} and artifact = ${artifact}`
          : sql`update artifacts set latest_key = ${left.key}
              where tenant = ${tenant} and grp = ${group} and artifact = ${artifact}`
        const removed: Removal = { _tag: "Removed", sha256s: [...new Set(found.map(({ sha256 }) => sha256))] }
        return removed
      })
      return yield* sql.withTransaction(erase)
    }, unreachable)

    return ArtifactStore.of({
      put,
      get: (tenant, group, artifact, version) =>
        unreachable(version === undefined ? latest(tenant, group, artifact) : find(tenant, group, artifact, version)),
      list: (tenant, filter, span) => listPages(span, (after, rows) => list(tenant, filter, after, rows)),
      builds: Effect.fn("ArtifactStore.builds")(function* (tenant, type, limit) {
        return yield* sql<Build>`
          select v.grp as group, v.artifact, v.version, v.sha256, v.size::float8 as size
          from artifacts a join artifact_versions v on v.tenant = a.tenant and v.grp = a.grp
            and v.artifact = a.artifact and v.version_key = a.latest_key
          where a.tenant = ${tenant} and v.type = ${type} order by a.grp, a.artifact limit ${limit}::bigint`
      }, unreachable),
      remove,
      references: Effect.fn("ArtifactStore.references")(
        (tenant, sha256s) => referenced(sql, "artifact_versions", tenant, sha256s),
        unreachable
      )
    })
  })
)
