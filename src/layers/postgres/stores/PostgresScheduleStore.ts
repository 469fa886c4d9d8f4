import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { ownEntry } from "../../../services/audit/Audit.ts"
import type { Backfill } from "../../../services/schedules/Schedule.ts"
import {
  type FoundFile,
  type NewBackfill,
  type Put,
  type ScheduleKey,
  type ScheduleLink,
  ScheduleStore,
  type StoredRow
} from "../../../services/schedules/ScheduleStore.ts"
import { mostWatched } from "../../../services/schedules/TenantFolders.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { millisOf, timeOf } from "../statements/SqlText.ts"
import { reached } from "../statements/StoredRows.ts"
import { appendEntries } from "./PostgresAuditStore.ts"
import { scheduleFirings } from "./ScheduleFirings.ts"

/** Schedules that one look at what is due returns. */
const dueAtOnce = 200
/** Old firings that one transaction deletes. */
const expiredAtOnce = 1000
/** Firings of files that wait at most. */
const mostFiles = 1000

/** Schedules in the tables `schedules`, `schedule_backfills` and `schedule_files`. */
export const layer = Layer.effect(
  ScheduleStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const one = ({ tenant, name }: ScheduleKey) => sql`tenant = ${tenant} and name = ${name}`
    const own = ({ tenant, name }: ScheduleKey) => sql`tenant = ${tenant} and schedule = ${name}`
    /** Held by what changes the schedules of a tenant, so that two changes close no circle and pass no limit. */
    const lock = (tenant: TenantId) => sql`select pg_advisory_xact_lock(hashtextextended(${`schedules ${tenant}`}, 0))`
    const millis = (column: string) => millisOf(sql, column)
    const rows = sql`
      select tenant, name, definition, kind, paused, revision::text as revision, ${millis("anchor")} as anchor,
        ${millis("next_at")} as "nextAt", fault, flow_iso(created_at) as "createdAt", flow_iso(changed_at) as "changedAt",
        exists (select 1 from flowlines f
          where f.tenant = schedules.tenant and f.id = flowline_id and f.saved) as "hasFlowline",
        (after_flowline is null or exists (select 1 from flowlines f
          where f.tenant = schedules.tenant and f.id = schedules.after_flowline and f.saved))
        and (after_schedule is null or exists (select 1 from schedules f
          where f.tenant = schedules.tenant and f.name = schedules.after_schedule)) as "hasFirst"
      from schedules`
    const notSuspended = (suspended: ReadonlyArray<TenantId>) => sql`not tenant = any(${[...suspended]}::text[])`

    const putFiles = (key: ScheduleKey, files: ReadonlyArray<FoundFile>) =>
      Effect.andThen(
        sql`delete from schedule_files where ${own(key)}`,
        sql`
          insert into schedule_files (tenant, schedule, path, version, fired)
          select ${key.tenant}, ${key.name}, path, version, true
          from json_to_recordset(${JSON.stringify(files)}::json) as f(path text, version text)`
      )

    const put: ScheduleStore["Service"]["put"] = Effect.fn("ScheduleStore.put")(
      function* (s, most, circle, expected) {
        yield* lock(s.tenant)
        // Who pauses or deletes it does not hold that lock.
        const [before] = yield* sql<{ readonly revision: string }>`
          select revision::text as revision from schedules where ${one(s)} for update`
        if (expected !== (before?.revision ?? null)) return { _tag: "Changed" } as const
        const links = yield* sql<ScheduleLink>`
          select name, flowline_id as "flowlineId", after_flowline as "afterFlowline", after_schedule as "afterSchedule"
          from schedules where tenant = ${s.tenant} order by name`
        if (before === undefined && links.length >= most) return { _tag: "Full" } as const
        const names = circle(links.filter(({ name }) => name !== s.name))
        if (names !== undefined) return { _tag: "Circle", names } as const
        const nextAt = s.nextAt === undefined ? sql`null` : timeOf(sql, s.nextAt)
        const [token] = yield* sql<{ hasToken: boolean }>`
          insert into schedules as s (tenant, name, definition, flowline_id, kind, overlap, anchor, next_at, after_flowline,
            after_schedule, after_on, token_sha256)
          values (${s.tenant}, ${s.name}, ${s.definition}, ${s.flowlineId}, ${s.kind}, ${s.overlap},
            ${timeOf(sql, s.anchor)}, ${nextAt}, ${s.afterFlowline ?? null}, ${s.afterSchedule ?? null},
            ${s.afterOn ?? null}, ${s.tokenSha256 ?? null})
          on conflict (tenant, name) do update set definition = excluded.definition, flowline_id = excluded.flowline_id,
            kind = excluded.kind, overlap = excluded.overlap, anchor = excluded.anchor, next_at = excluded.next_at,
            after_flowline = excluded.after_flowline, after_schedule = excluded.after_schedule,
            after_on = excluded.after_on, fault = null, changed_at = clock_timestamp(), revision = default,
            token_sha256 = case when excluded.kind = 'webhook' then coalesce(s.token_sha256, excluded.token_sha256) end
          returning coalesce(token_sha256 = ${s.tokenSha256 ?? null}, false) as "hasToken"`
        if (s.files !== undefined) yield* putFiles(s, s.files)
        const [row] = yield* sql<StoredRow>`${rows} where ${one(s)}`
        return {
          _tag: "Stored",
          isNew: before === undefined,
          hasToken: token?.hasToken === true,
          row: row!
        } satisfies Put
      },
      (writes) => transaction(sql, writes)
    )

    const pause: ScheduleStore["Service"]["pause"] = Effect.fn("ScheduleStore.pause")(
      function* (read, paused, nextAt) {
        const changed = yield* sql`
          update schedules set paused = ${paused}, changed_at = clock_timestamp(), revision = default,
            next_at = ${nextAt === undefined ? sql`next_at` : timeOf(sql, nextAt)}
          where ${one(read)} and revision = ${read.revision}::bigint and paused <> ${paused} returning 1`
        if (changed.length === 0) return undefined
        return (yield* sql<StoredRow>`${rows} where ${one(read)}`)[0]
      },
      (writes) => transaction(sql, writes)
    )

    const found: ScheduleStore["Service"]["found"] = Effect.fn("ScheduleStore.found")(
      function* (s, files, rests) {
        const current = yield* sql`
          select 1 from schedules where ${one(s)} and revision = ${s.revision}::bigint and not paused for update`
        if (current.length === 0) return { fired: 0, resting: 0 }
        const list = JSON.stringify(files)
        // What has fired stays known when it is gone: a share that is mounted again brings no new files.
        yield* sql`
          with gone as (
            select path, fired, row_number() over (order by since desc, path) as place from schedule_files k
            where ${own(s)} and not exists (
              select 1 from json_to_recordset(${list}::json) as f(path text) where f.path = k.path)
          )
          delete from schedule_files k using gone
          where ${own(s)} and k.path = gone.path and (not gone.fired or gone.place > ${mostWatched})`
        yield* sql`
          insert into schedule_files as k (tenant, schedule, path, version, fired)
          select ${s.tenant}, ${s.name}, path, version, false
          from json_to_recordset(${list}::json) as f(path text, version text)
          on conflict (tenant, schedule, path) do update set version = excluded.version, since = clock_timestamp(),
            fired = false
          where k.version <> excluded.version or (not k.fired and k.since > clock_timestamp())`
        const fired = yield* sql`
          with waiting as (
            select count(*) as number from schedule_firings where ${own(s)} and state = 'WAITING' and backfill is null
          ), rested as (
            select path, version, since from schedule_files
            where ${own(s)} and not fired and since <= clock_timestamp() - ${rests}::float8 * interval '1 millisecond'
            order by since, path limit greatest(0, ${mostFiles} - (select number from waiting))
          ), noted as (
            update schedule_files k set fired = true from rested r where ${own(s)} and k.path = r.path
          )
          insert into schedule_firings (tenant, schedule, key, kind, state, scheduled_at, due_at, file)
          select ${s.tenant}, ${s.name}, 'file:' || path || '@' || version, 'file', 'WAITING', clock_timestamp(),
            clock_timestamp(), path
          from rested order by since, path on conflict do nothing returning 1`
        const [left] = yield* sql<{ number: number }>`
          select count(*)::integer as number from schedule_files where ${own(s)} and not fired`
        return { fired: fired.length, resting: left?.number ?? 0 }
      },
      (writes) => transaction(sql, writes)
    )

    const backfills = (key: ScheduleKey, id?: string) => sql<Backfill>`
      select b.id::text as id, flow_iso(from_at) as "from", flow_iso(to_at) as "to", parallel, firings,
        flow_iso(b.created_at) as "createdAt", flow_iso(cancelled_at) as "cancelledAt",
        (count(*) filter (where f.state = 'WAITING'))::integer as waiting,
        (count(*) filter (where f.state = 'STARTED'))::integer as open,
        (count(*) filter (where f.state = 'SUCCEEDED'))::integer as succeeded
      from schedule_backfills b left join schedule_firings f
        on f.tenant = b.tenant and f.schedule = b.schedule and f.backfill = b.id
      where b.tenant = ${key.tenant} and b.schedule = ${key.name}
        and ${id === undefined ? sql`true` : sql`b.id = ${id}::bigint`}
      group by b.tenant, b.schedule, b.id order by b.id desc limit 1000`

    const backfill = Effect.fn("ScheduleStore.backfill")(
      function* (key: ScheduleKey, given: NewBackfill) {
        const [made] = yield* sql<{ id: string }>`
          insert into schedule_backfills (tenant, schedule, from_at, to_at, parallel, firings)
          select tenant, name, ${timeOf(sql, given.from)}, ${timeOf(sql, given.to)}, ${given.parallel},
            ${given.times.length}
          from schedules where ${one(key)} returning id::text as id`
        if (made === undefined) return undefined
        const times = given.times.map((at) => ({ key: `backfill:${made.id}:${new Date(at).toISOString()}`, at }))
        yield* sql`
          insert into schedule_firings (tenant, schedule, key, kind, state, scheduled_at, due_at, backfill)
          select ${key.tenant}, ${key.name}, key, 'backfill', 'WAITING', to_timestamp(at / 1000), clock_timestamp(),
            ${made.id}::bigint
          from json_to_recordset(${JSON.stringify(times)}::json) as t(key text, at float8) order by at`
        const [stored] = yield* backfills(key, made.id)
        return stored
      },
      (writes) => transaction(sql, writes)
    )

    const cancelBackfill = Effect.fn("ScheduleStore.cancelBackfill")(
      function* (key: ScheduleKey, id: string) {
        const known = yield* sql`
          update schedule_backfills set cancelled_at = coalesce(cancelled_at, clock_timestamp())
          where ${own(key)} and id = ${id}::bigint returning 1`
        if (known.length === 0) return undefined
        yield* sql`
          update schedule_firings set state = 'CANCELLED', reason = 'The backfill was cancelled', ended_at = clock_timestamp()
          where ${own(key)} and backfill = ${id}::bigint and state = 'WAITING'`
        return yield* sql<{ flowlineId: string; id: string }>`
          select flowline_id as "flowlineId", execution_id as id from schedule_firings
          where ${own(key)} and backfill = ${id}::bigint and state = 'STARTED'`
      },
      (writes) => transaction(sql, writes)
    )

    const expire: ScheduleStore["Service"]["expire"] = Effect.fn("ScheduleStore.expire")(
      function* (tenant, { age, number }) {
        const isOld =
          age === undefined ? sql`false` : sql`created_at < clock_timestamp() - ${age} * interval '1 millisecond'`
        const isOver = number === undefined ? sql`false` : sql`place > ${number}::bigint`
        const gone = yield* wide`
          with ended as (
            select schedule, key, created_at, row_number() over (order by created_at desc, id desc) as place
            from schedule_firings where tenant = ${tenant} and state not in ('WAITING', 'STARTED')
          ), due as (
            select schedule, key from ended where ${isOld} or ${isOver} order by place desc limit ${expiredAtOnce}
          )
          delete from schedule_firings f using due
          where f.tenant = ${tenant} and f.schedule = due.schedule and f.key = due.key returning 1`
        const count = gone.length
        if (count > 0) {
          yield* appendEntries(wide, tenant, [ownEntry({ action: "retention.firings", target: "", count })])
        }
        return count
      },
      (writes) => transaction(wide, writes, "10 minutes")
    )

    return ScheduleStore.of({
      ...scheduleFirings(sql, wide),
      put,
      get: (key) => unreachable(Effect.map(sql<StoredRow>`${rows} where ${one(key)}`, ([row]) => row)),
      list: (tenant) => unreachable(sql<StoredRow>`${rows} where tenant = ${tenant} order by name`),
      remove: (key, revision) =>
        unreachable(
          Effect.map(
            sql<{ definition: string }>`
              delete from schedules
              where ${one(key)} and ${revision === undefined ? sql`true` : sql`revision = ${revision}::bigint`}
              returning definition`,
            ([gone]) => gone?.definition
          )
        ),
      pause,
      token: (key) =>
        unreachable(
          Effect.map(
            sql<{ sha256: Uint8Array | null }>`select token_sha256 as sha256 from schedules where ${one(key)}`,
            ([row]) => row?.sha256 ?? undefined
          )
        ),
      setToken: (key, sha256) =>
        unreachable(
          reached(sql`update schedules set token_sha256 = ${sha256} where ${one(key)} and kind = 'webhook' returning 1`)
        ),
      setFault: (key, fault) =>
        unreachable(
          Effect.asVoid(sql`
            update schedules set fault = ${fault ?? null} where ${one(key)} and fault is distinct from ${fault ?? null}`)
        ),
      due: (now, suspended) =>
        unreachable(sql<StoredRow>`
          ${rows} where not paused and next_at <= ${timeOf(sql, now)} and ${notSuspended(suspended)}
          order by next_at limit ${dueAtOnce}`),
      timed: unreachable(sql<StoredRow>`${rows} where not paused and next_at is not null order by tenant, name`),
      watching: (suspended) =>
        unreachable(sql<StoredRow>`
          ${rows} where kind = 'file' and not paused and ${notSuspended(suspended)} order by tenant, name`),
      found,
      backfill,
      backfills: (key) => unreachable(backfills(key)),
      cancelBackfill,
      expire
    })
  })
)
