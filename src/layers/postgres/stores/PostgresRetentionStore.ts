import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction, unreachableWithin } from "../../../drivers/postgres/Unreachable.ts"
import { ArtifactName, ArtifactVersion, GroupName } from "../../../services/artifacts/Artifact.ts"
import { ArtifactStore } from "../../../services/artifacts/ArtifactStore.ts"
import { ownEntry } from "../../../services/audit/Audit.ts"
import { type RemovedRows, RetentionStore, type VersionedKind } from "../../../services/retention/RetentionStore.ts"
import type { Rule } from "../../../services/shared/settings/RetentionRules.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { appendEntries } from "./PostgresAuditStore.ts"
import { noteUnused } from "./PostgresBlobLedger.ts"
import { grace, removeUnused } from "./UnusedFlowlines.ts"

/** Executions and archives that a step looks at. */
const rowsAtOnce = 200
/** Output lines that a step deletes, except that it deletes all lines of at least one execution. */
const linesAtOnce = 10_000
/** Names whose versions a step looks at. */
const namesAtOnce = 200

const patience = "10 minutes"
const patient = unreachableWithin(patience)

interface Gone {
  readonly size: number
  readonly blob: string | null
}

const removedOf = (rows: ReadonlyArray<Gone>): RemovedRows => ({
  number: rows.length,
  bytes: rows.reduce((sum, { size }) => sum + size, 0),
  blobs: [...new Set(rows.flatMap(({ blob }) => blob ?? []))]
})

/** Notes the blobs of deleted rows, in the transaction of the deletion. */
const freed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: TenantId, rows: ReadonlyArray<Gone>) {
  const since = yield* Clock.currentTimeMillis
  const unused = removedOf(rows).blobs.map((sha256) => ({ sha256, since, deleted: true }))
  yield* noteUnused(sql, tenant, unused)
})

/** `order` has an index: rows of a history are read oldest first. */
const histories = {
  executions: {
    table: "executions",
    at: "ended_at",
    order: "ended_at, id",
    size: "output_bytes",
    lines: "lines",
    blob: "null::text",
    present: "ended_at is not null"
  },
  archives: {
    table: "archives",
    at: "created_at",
    order: "ordinal",
    size: "size",
    lines: "0",
    blob: "sha256",
    present: "true"
  }
} as const

/** Old rows of the other stores' tables. */
export const layer = Layer.effect(
  RetentionStore,
  Effect.gen(function* () {
    const short = yield* SqlClient.SqlClient
    // A step may take longer than a request.
    const sql = yield* WideSql
    const artifacts = yield* ArtifactStore

    /** The rows of a tenant in the order of their age, with whether the rule no longer keeps each. */
    const inOrder = (tenant: TenantId, kind: keyof typeof histories, rule: Rule, most: number | undefined) => {
      const { table, at, order, size, lines, blob, present } = histories[kind]
      const over = [
        rule.age === undefined ? sql`false` : sql`at < clock_timestamp() - ${rule.age} * interval '1 millisecond'`,
        rule.number === undefined ? sql`false` : sql`place <= used.number - ${rule.number}::bigint`,
        rule.bytes === undefined ? sql`false` : sql`before < used.bytes - ${rule.bytes}::bigint`
      ]
      return sql`
        select o.* from (
          select *, sum(size) over w - size as before, sum(lines) over w - lines as lines_before
          from (
            select tenant, id, ${sql.literal(at)} as at, ${sql.literal(blob)} as blob, ${sql.literal(size)} as size,
              ${sql.literal(lines)} as lines, row_number() over (order by ${sql.literal(order)}) as place
            from ${sql(table)} where tenant = ${tenant} and ${sql.literal(present)}
            order by ${sql.literal(order)} limit ${most ?? null}::bigint
          ) oldest window w as (order by place)
        ) o left join history_usage used on used.tenant = o.tenant and used.kind = ${kind}
        where ${over[0]!} or ${over[1]!} or ${over[2]!}`
    }

    /** One gateway at a time: another one would count what this one is deleting, and delete as much again. */
    const mine = Effect.fnUntraced(function* (tenant: TenantId, kind: string) {
      const [row] = yield* sql<{ mine: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${`retention ${kind} ${tenant}`}, 0)) as mine`
      return row?.mine === true
    })

    /** The row of what the current transaction of the client deletes. */
    const written = (client: SqlClient.SqlClient, tenant: TenantId, kind: string, target: string, count: number) =>
      appendEntries(client, tenant, [ownEntry({ action: `retention.${kind}`, target, count })])

    const history = Effect.fn("RetentionStore.history")(
      function* (tenant: TenantId, kind: "executions" | "archives", rule: Rule) {
        if (!(yield* mine(tenant, kind))) return removedOf([])
        const { table } = histories[kind]
        const gone = yield* sql<Gone & { readonly flowline: string }>`
          with due as (${inOrder(tenant, kind, rule, rowsAtOnce)}),
          gone as (
            delete from ${sql(table)} t using due
            where t.tenant = due.tenant and t.id = due.id and (lines_before < ${linesAtOnce} or due.place = 1)
            returning due.size, due.blob, t.flowline_id, t.id
          ), forgotten as (
            delete from positions p using gone where p.tenant = ${tenant} and p.scope = gone.id and ${kind} = 'executions'
          )
          select size::float8 as size, blob, flowline_id as flowline from gone`
        const flowlines = [...new Set(gone.map(({ flowline }) => flowline))]
        if (kind === "executions" && flowlines.length > 0) yield* removeUnused(sql, tenant, flowlines)
        if (gone.length > 0) yield* written(sql, tenant, kind, "", gone.length)
        yield* freed(sql, tenant, gone)
        return removedOf(gone)
      },
      (step) => transaction(sql, step, patience)
    )

    const unused = Effect.fn("RetentionStore.unused")(
      function* (tenant: TenantId, since: number) {
        const found = yield* sql<{ id: string }>`
        select id from flowlines f
        where tenant = ${tenant} and not saved and unsaved_at >= to_timestamp(${since} / 1000.0)
          and unsaved_at < clock_timestamp() - ${grace}::interval and not exists (
            select 1 from executions e where e.tenant = f.tenant and e.flowline_id = f.id)
        order by unsaved_at limit ${rowsAtOnce}`
        const gone = yield* removeUnused(
          sql,
          tenant,
          found.map(({ id }) => id)
        )
        if (gone.length > 0) yield* written(sql, tenant, "flowlines", "", gone.length)
        return { number: gone.length, bytes: 0, blobs: [] }
      },
      (step) => transaction(sql, step, patience)
    )

    /** Superseded versions, newest first by `place`, of the names of a page. */
    const outdated = (kind: VersionedKind, tenant: TenantId, after: string, rule: Rule) => {
      const { pages, versions } = tablesOf(kind, tenant, after)
      const over = [
        rule.number === undefined ? sql`false` : sql`place > ${rule.number}`,
        rule.age === undefined
          ? sql`false`
          : sql`superseded_at < clock_timestamp() - ${rule.age} * interval '1 millisecond'`
      ]
      return sql<{
        readonly name: string | null
        readonly last: string | null
        readonly version: string
        readonly size: number
        readonly blob: string | null
      }>`
        with page as materialized (${pages}), ranked as (
          select v.*, row_number() over w as place, lag(at) over w as superseded_at
          from (${versions}) v window w as (partition by name order by key desc)
        ), doomed as (select * from ranked where place > 1 and free and (${over[0]!} or ${over[1]!}))
        select (select max(name) from page having count(*) = ${namesAtOnce}) as last, d.name, d.version,
          d.size::float8 as size, d.blob
        from (select 1) one left join doomed d on true`
    }

    const tablesOf = (kind: VersionedKind, tenant: TenantId, after: string) => {
      switch (kind) {
        case "flowlines":
          return {
            pages: sql`select id as name from flowlines where tenant = ${tenant} and saved and id > ${after}
              order by id limit ${namesAtOnce}`,
            versions: sql`select v.id as name, v.version as key, v.version::text as version, v.saved_at as at,
                coalesce(octet_length(v.source), octet_length(v.dag)) as size, null as blob, not exists (select 1 from executions e
                  where e.tenant = v.tenant and e.flowline_id = v.id and e.version = v.version) as free
              from page join flowline_versions v on v.tenant = ${tenant} and v.id = page.name`
          }
        case "registry":
          return {
            pages: sql`select path as name from registry_paths
              where tenant = ${tenant} and path > ${after} order by path limit ${namesAtOnce}`,
            versions: sql`select v.path as name, v.version as key, v.version::text as version, v.created_at as at, v.size,
                v.sha256 as blob, true as free
              from page join registry_versions v on v.tenant = ${tenant} and v.path = page.name`
          }
        case "resources":
          return {
            pages: sql`select name from stored_names where tenant = ${tenant} and name > ${after}
              order by name limit ${namesAtOnce}`,
            versions: sql`select v.name, v.version as key, v.version::text as version, v.created_at as at, v.size,
                v.sha256 as blob, v.origin is null as free
              from page join stored_versions v on v.tenant = ${tenant} and v.name = page.name`
          }
        case "artifacts":
          return {
            pages: sql`select grp || chr(9) || artifact as name from artifacts
              where tenant = ${tenant} and (grp, artifact) > (${after.split("\t")[0] ?? ""}, ${after.split("\t")[1] ?? ""})
              order by grp, artifact limit ${namesAtOnce}`,
            versions: sql`select page.name, v.version_key as key, v.version, (v.doc::json ->> 'createdAt')::timestamptz as at,
                v.size, v.sha256 as blob, true as free
              from page join artifact_versions v on v.tenant = ${tenant} and v.grp = split_part(page.name, chr(9), 1)
                and v.artifact = split_part(page.name, chr(9), 2)`
          }
      }
    }

    const erase = (kind: VersionedKind, tenant: TenantId, name: string, versions: ReadonlyArray<string>) => {
      const numbers = versions.map(Number)
      switch (kind) {
        case "flowlines":
          return short`
            delete from flowline_versions v
            where tenant = ${tenant} and id = ${name} and version = any(${numbers}::integer[]) and not exists (
              select 1 from executions e where e.tenant = v.tenant and e.flowline_id = v.id and e.version = v.version)`
        case "registry":
          return short`
            delete from registry_versions
            where tenant = ${tenant} and path = ${name} and version = any(${numbers}::integer[])`
        case "resources":
          return short`
            delete from stored_versions
            where tenant = ${tenant} and name = ${name} and version = any(${numbers}::integer[])`
        case "artifacts": {
          const [group = "", artifact = ""] = name.split("\t")
          const chosen = versions.map((version) => ArtifactVersion(version))
          return artifacts.remove(tenant, GroupName(group), ArtifactName(artifact), chosen)
        }
      }
    }

    const superseded: RetentionStore["Service"]["superseded"] = Effect.fn("RetentionStore.superseded")(function* (
      tenant,
      kind,
      rule,
      after,
      dryRun
    ) {
      const rows = yield* outdated(kind, tenant, after, rule)
      const doomed = rows.flatMap(({ name, ...row }) => (name === null ? [] : [{ ...row, name }]))
      if (!dryRun) {
        for (const [name, group] of Map.groupBy(doomed, ({ name }) => name)) {
          const versions = group.map(({ version }) => version)
          const erased = Effect.gen(function* () {
            yield* erase(kind, tenant, name, versions)
            yield* written(short, tenant, "versions", `${kind}/${name.replace("\t", ":")}`, versions.length)
            yield* freed(short, tenant, group)
          })
          // Each name by itself: a transaction of several could deadlock with others.
          yield* transaction(short, erased)
        }
      }
      return { ...removedOf(doomed), next: rows[0]?.last ?? undefined }
    }, patient)

    return RetentionStore.of({
      history,
      due: Effect.fn("RetentionStore.due")(function* (tenant, kind, rule) {
        const [row] = yield* sql<{ number: number; bytes: number }>`
          select count(*)::float8 as number, coalesce(sum(size), 0)::float8 as bytes
          from (${inOrder(tenant, kind, rule, undefined)}) due`
        return { number: row?.number ?? 0, bytes: row?.bytes ?? 0, blobs: [] }
      }, patient),
      unused,
      superseded
    })
  })
)
