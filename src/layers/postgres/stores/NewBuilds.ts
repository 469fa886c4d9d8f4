import { Context, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { sqlState } from "../../../drivers/postgres/SqlState.ts"
import { alone } from "../../../drivers/postgres/Unreachable.ts"
import type { ArtifactName, ArtifactVersion, GroupName } from "../../../services/artifacts/Artifact.ts"
import type { NewArtifact } from "../../../services/artifacts/ArtifactStore.ts"
import { versionKey } from "../../../services/artifacts/VersionKey.ts"
import type { NewEntry } from "../../../services/audit/AuditStore.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { groupCommit } from "../statements/GroupCommit.ts"
import { reached } from "../statements/StoredRows.ts"
import { insertEntries } from "./PostgresAuditStore.ts"

/** A build with its row of the audit. */
interface NewBuild {
  readonly it: NewArtifact
  readonly entry: NewEntry
  /** Whether more are about to come. */
  readonly expectsMore?: boolean
}

/** Builds that one statement adds at most, and the characters of their metadata. */
const most = { builds: 32, characters: 1024 * 1024 }

/** The origin of a stored resource that belongs to an artifact version. */
export const originOf = (group: GroupName, artifact: ArtifactName, version: ArtifactVersion): string =>
  `${group}:${artifact}:${version}`

const originOfBuild = ({ it: { group, artifact, version } }: NewBuild): string => originOf(group, artifact, version)

/**
 * The statement that adds builds, each with its stored resource and its row of the audit, as far as their versions do not
 * exist. No two are of one version. It returns the numbers of those that it has added.
 *
 * One statement, because each costs the gateway and PostgreSQL a turn, which is more than the work it does.
 */
const insertBuilds = (sql: SqlClient.SqlClient, tenant: TenantId, builds: ReadonlyArray<NewBuild>) => {
  const rows = builds.map(({ it: { group, artifact, version, stored, ...others } }, n) => ({
    ...{ n, grp: group, artifact, version, key: versionKey(version), name: stored, ...others },
    origin: originOf(group, artifact, version)
  }))
  // Whoever holds a row for longer delays only the build that needs it: the others are added one by one then.
  const waits = builds.length === 1 ? sql`select` : sql`select set_config('lock_timeout', '1s', true)`
  return sql<{ n: number }>`
    with waits as materialized (${waits}), given as materialized (
      select build.* from waits cross join json_to_recordset(${JSON.stringify(rows)}::json) as build(
        n integer, grp text, artifact text, version text, key text, type text, doc text, described text, sha256 text,
        size bigint, name text, origin text)
    ), locked as (
      -- Locks the rows of the artifacts, so that concurrent writers of an artifact wait.
      insert into artifacts as known (tenant, grp, artifact, latest_key)
      select ${tenant}, grp, artifact, max(key collate "C") from given group by grp, artifact order by grp, artifact
      on conflict (tenant, grp, artifact)
        do update set latest_key = greatest(known.latest_key, excluded.latest_key)
      returning grp, artifact
    ), added as (
      insert into artifact_versions
        (tenant, grp, artifact, version_key, version, type, doc, described, sha256, size)
      select ${tenant}, grp, artifact, key, version, type, doc, described, sha256, size
      from locked join given using (grp, artifact)
      on conflict (tenant, grp, artifact, version_key) do nothing
      returning grp, artifact, version_key as key
    ), fresh as materialized (
      select n, name, sha256, size, origin, row_number() over (partition by name order by n) as place
      from added join given using (grp, artifact, key)
    ), counted as (
      insert into stored_names as known (tenant, name, last_version)
      select ${tenant}, name, count(*) from fresh group by name order by name
      on conflict (tenant, name) do update set last_version = known.last_version + excluded.last_version
      returning name, last_version
    ), made as (
      insert into stored_versions (tenant, name, version, sha256, size, origin)
      select ${tenant}, name, last_version - max(place) over (partition by name) + place, sha256, size, origin
      from counted join fresh using (name)
    ), audited as (${insertEntries(
      sql,
      tenant,
      builds.map(({ entry }) => entry),
      sql`fresh`
    )})
    select n from fresh`
}

/** Adds a build, and says whether it did: not when its version exists. */
export const addBuild = (
  sql: SqlClient.SqlClient,
  tenant: TenantId,
  build: NewBuild
): Effect.Effect<boolean, SqlError> => reached(insertBuilds(sql, tenant, [build]))

/** Whether nothing was changed: PostgreSQL has said why, and not that it goes away. */
const isUndone = (error: SqlError): boolean => /^(?!08|57P)./.test(sqlState(error.reason.cause))

/**
 * `addBuild` for builds without a quota: those of a tenant that are ready at the same time share a statement. They would
 * wait for each other otherwise, because each changes the tenant's usage and the head of its audit. When that fails,
 * because of one of them perhaps, each is added by a statement of its own. Within a transaction a build is part of that.
 */
export const sharedAdd = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const context = yield* Effect.context<never>()
  const single = (tenant: TenantId, build: NewBuild) => alone(sql, addBuild(sql, tenant, build))
  const addAll = Effect.fnUntraced(function* (tenant: TenantId, builds: ReadonlyArray<NewBuild>) {
    // Of two builds of one version only the first is added: for the second one the version exists.
    const seen = new Map(builds.toReversed().map((build) => [originOfBuild(build), build]))
    const firsts = builds.filter((build) => seen.get(originOfBuild(build)) === build)
    const rows = firsts.length === 0 ? [] : yield* insertBuilds(sql, tenant, firsts)
    const added = new Set(rows.map(({ n }) => firsts[n]))
    return builds.map((build) => added.has(build))
  })
  const share = groupCommit(
    context,
    (tenant: TenantId, take: () => ReadonlyArray<NewBuild>) =>
      alone(
        sql,
        Effect.suspend(() => addAll(tenant, take()))
      ),
    {
      weightOf: ({ it }) => Math.max(1 / most.builds, it.doc.length / most.characters),
      expectsMore: ({ expectsMore }) => expectsMore === true
    }
  )
  return (tenant: TenantId, build: NewBuild): Effect.Effect<boolean, SqlError> =>
    Effect.contextWith((current: Context.Context<never>) =>
      Option.isSome(Context.getOption(current, sql.transactionService))
        ? addBuild(sql, tenant, build)
        : Effect.catch(share(tenant, build), (error) => (isUndone(error) ? single(tenant, build) : Effect.fail(error)))
    )
})
