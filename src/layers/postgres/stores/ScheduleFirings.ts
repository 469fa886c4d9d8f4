import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { Conflict } from "../../../errors/Conflict.ts"
import type { Firing, FiringKind } from "../../../services/schedules/Schedule.ts"
import {
  type NewFiring,
  notWaiting,
  overlapping,
  type ScheduleKey,
  type ScheduleStore,
  type StartedExecution,
  type StoredRow,
  type WaitingFiring
} from "../../../services/schedules/ScheduleStore.ts"
import type { Due } from "../../../services/schedules/Times.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { listPages } from "../statements/Pages.ts"
import { millisOf, storable, timeOf } from "../statements/SqlText.ts"
import { reached } from "../statements/StoredRows.ts"

/** Firings of a schedule that one look starts. */
const startedAtOnce = 50
/** Groups of firings that one look considers. */
const groupsAtOnce = 1000

const fullReason = "1000 firings of the schedule wait already"

type Writes = Pick<
  ScheduleStore["Service"],
  "add" | "firing" | "firings" | "begin" | "settle" | "waits" | "startable" | "fire"
>

/** The columns of a firing as the members of `Firing`. */
const columns = (sql: SqlClient.SqlClient) => sql`
  id::text as id, schedule, kind, state, reason, flow_iso(scheduled_at) as "scheduledAt",
  flow_iso(created_at) as "createdAt", flow_iso(started_at) as "startedAt", flow_iso(ended_at) as "endedAt", file,
  backfill::text as backfill, flowline_id as "flowlineId", version, execution_id as execution`

/** The firings of schedules, in the table `schedule_firings`. */
export const scheduleFirings = (sql: SqlClient.SqlClient, wide: PgClient.PgClient): Writes => {
  const own = ({ tenant, name }: ScheduleKey) => sql`tenant = ${tenant} and schedule = ${name}`
  const firing = Effect.fn("ScheduleStore.firing")(function* (key: ScheduleKey, firingKey: string) {
    const [row] = yield* sql<Firing>`
      select ${columns(sql)} from schedule_firings where ${own(key)} and key = ${firingKey}`
    return row
  }, unreachable)

  const add = Effect.fn("ScheduleStore.add")(function* (key: ScheduleKey, given: NewFiring) {
    const at = given.scheduledAt === undefined ? sql`clock_timestamp()` : timeOf(sql, given.scheduledAt)
    const [row] = yield* sql<Firing>`
      with room as (select flow_room_of_schedule(tenant, name) as found from schedules
        where tenant = ${key.tenant} and name = ${key.name})
      insert into schedule_firings (tenant, schedule, key, kind, state, reason, scheduled_at, due_at, file, parameters, body)
      select ${key.tenant}, ${key.name}, ${given.key}, ${given.kind}, case when found then 'WAITING' else 'REFUSED' end,
        case when found then null else ${fullReason}::text end, ${at}, clock_timestamp(), ${given.file ?? null}::text,
        case when found then ${given.parameters ?? null}::text end, case when found then ${given.body ?? null}::text end
      from room
      on conflict do nothing returning ${columns(sql)}`
    if (row !== undefined) return { firing: row, isNew: true }
    const known = yield* firing(key, given.key)
    return known === undefined ? undefined : { firing: known, isNew: false }
  })

  /** Fails unless the firing may start. The lock on the schedule orders those who start its firings. */
  const mayStart = Effect.fnUntraced(function* (given: WaitingFiring, overlap: boolean) {
    yield* sql`select 1 from schedules where tenant = ${given.tenant} and name = ${given.name} for update`
    const [row] = yield* sql<{ state: string }>`
      select state from schedule_firings where ${own(given)} and key = ${given.key} for update`
    if (row?.state !== "WAITING")
      return yield* new Conflict({ state: notWaiting, detail: "The firing waits no longer" })
    const [room] = yield* sql<{ open: string | null; most: number }>`
      select (select execution_id from schedule_firings
          where ${own(given)} and state = 'STARTED' and backfill is not distinct from ${given.backfill}::bigint limit 1) as open,
        (select count(*) from schedule_firings
          where ${own(given)} and state = 'STARTED' and backfill = ${given.backfill}::bigint)::integer
        - coalesce((select parallel from schedule_backfills where ${own(given)} and id = ${given.backfill}::bigint), 1) as most`
    const isFull = given.backfill === null ? !overlap && room?.open != null : (room?.most ?? 0) >= 0
    if (isFull) return yield* new Conflict({ state: overlapping, detail: room?.open ?? "" })
  })

  const begin = <A, E, R>(
    given: WaitingFiring,
    { overlap }: { readonly overlap: boolean },
    writes: Effect.Effect<A, E, R>,
    startedOf: (made: A) => StartedExecution
  ) =>
    transaction(
      sql,
      Effect.gen(function* () {
        yield* mayStart(given, overlap)
        const made = yield* writes
        const { id, flowlineId, version } = startedOf(made)
        yield* sql`
          update schedule_firings set state = 'STARTED', reason = null, started_at = clock_timestamp(), body = null,
            parameters = null, flowline_id = ${flowlineId}, version = ${version}, execution_id = ${id}
          where ${own(given)} and key = ${given.key}`
        return made
      })
    )

  const settle = Effect.fn("ScheduleStore.settle")(function* (
    given: WaitingFiring,
    state: "SKIPPED" | "REFUSED",
    reason: string
  ) {
    return yield* reached(sql`
      update schedule_firings set state = ${state}, reason = ${storable(reason)}, ended_at = clock_timestamp(), body = null
      where ${own(given)} and key = ${given.key} and state = 'WAITING' returning 1`)
  }, unreachable)

  const waits = Effect.fn("ScheduleStore.waits")(function* (given: WaitingFiring, reason: string) {
    yield* sql`
      update schedule_firings set reason = ${storable(reason)}
      where ${own(given)} and key = ${given.key} and state = 'WAITING' and reason is distinct from ${storable(reason)}`
  }, unreachable)

  /** What may start of each schedule and each backfill: how many, as their rules say. */
  const groups = (suspended: ReadonlyArray<TenantId>) => sql`
    select w.tenant, w.schedule, w.backfill, s.definition, s.paused,
      case when w.backfill is not null then coalesce(b.parallel, 1) - (select count(*) from schedule_firings o
          where o.tenant = w.tenant and o.schedule = w.schedule and o.state = 'STARTED' and o.backfill = w.backfill)
        when s.overlap <> 'queue' then ${startedAtOnce}
        when exists (select 1 from schedule_firings o where o.tenant = w.tenant and o.schedule = w.schedule
          and o.state = 'STARTED' and o.backfill is null) then 0
        else 1 end as room
    from (
      select distinct tenant, schedule, backfill from schedule_firings where state = 'WAITING' limit ${groupsAtOnce}
    ) w join schedules s on s.tenant = w.tenant and s.name = w.schedule
      left join schedule_backfills b on b.tenant = w.tenant and b.schedule = w.schedule and b.id = w.backfill
    where not w.tenant = any(${[...suspended]}::text[])`

  const startable = Effect.fn("ScheduleStore.startable")(function* (
    suspended: ReadonlyArray<TenantId>,
    only?: { readonly key: ScheduleKey; readonly firing: string }
  ) {
    const chosen =
      only === undefined ? sql`g.room > 0` : sql`g.tenant = ${only.key.tenant} and g.schedule = ${only.key.name}`
    const one = only === undefined ? sql`true` : sql`f.key = ${only.firing}`
    return yield* sql<WaitingFiring>`
      select f.tenant, f.schedule as name, f.key, f.id::text as id, f.kind, g.definition,
        ${millisOf(sql, "f.scheduled_at")} as "scheduledAt", ${millisOf(sql, "f.due_at")} as "dueAt",
         f.backfill::text as backfill, f.file, f.parameters, f.body
      from (${groups(suspended)}) g cross join lateral (
        select * from schedule_firings f
        where f.tenant = g.tenant and f.schedule = g.schedule and f.backfill is not distinct from g.backfill
          and f.state = 'WAITING' and (not g.paused or f.kind in ('run', 'backfill')) and ${one}
          -- A clock that was turned back makes nothing wait.
          and (f.due_at <= clock_timestamp() or f.created_at > clock_timestamp())
        order by f.id limit greatest(g.room, ${only === undefined ? 0 : 1})
      ) f
      where ${chosen} order by f.id`
  }, unreachable)

  const fire = (schedule: StoredRow, due: Due, kind: FiringKind, delayOf: (at: number) => number) => {
    const rows = due.fire.map((at) => ({ key: `time:${new Date(at).toISOString()}`, at, due: at + delayOf(at) }))
    const { tenant, name, revision, nextAt } = schedule
    const [first, last] = due.missed ?? []
    const missed =
      first === undefined || last === undefined
        ? sql`select null::text as key, null::float8 as at, null::text as reason where false`
        : sql`select ${`missed:${new Date(first).toISOString()}`}::text as key, ${last}::float8 as at,
            ${`No gateway was there from ${new Date(first).toISOString()} to ${new Date(last).toISOString()}`}::text as reason`
    return transaction(
      sql,
      Effect.gen(function* () {
        const current = yield* sql`
          update schedules set next_at = ${timeOf(sql, due.next)}
          where tenant = ${tenant} and name = ${name} and revision = ${revision}::bigint and not paused
            and next_at = ${timeOf(sql, nextAt ?? 0)} returning 1`
        if (current.length === 0) return 0
        yield* sql`
          insert into schedule_firings (tenant, schedule, key, kind, state, reason, scheduled_at, due_at, ended_at)
          select ${tenant}, ${name}, key, ${kind}, 'MISSED', reason, to_timestamp(at / 1000), clock_timestamp(),
            clock_timestamp()
          from (${missed}) missed on conflict do nothing`
        const made = yield* sql`
          insert into schedule_firings (tenant, schedule, key, kind, state, reason, scheduled_at, due_at)
          select ${tenant}, ${name}, key, ${kind}, case when found then 'WAITING' else 'REFUSED' end,
            case when found then null else ${fullReason}::text end, to_timestamp(at / 1000), to_timestamp(due / 1000)
          from json_to_recordset(${JSON.stringify(rows)}::json) as t(key text, at float8, due float8),
            (select flow_room_of_schedule(${tenant}, ${name}) as found) room
          order by at on conflict do nothing returning 1`
        return made.length
      })
    )
  }

  return {
    add: (key, given) => transaction(sql, add(key, given)),
    firing,
    firings: (key, span) =>
      listPages(
        span,
        (after, rows) => wide<ListRow>`
          select id as key, row_to_json(found)::text as json from (
            select ${columns(wide)} from schedule_firings
            where tenant = ${key.tenant} and schedule = ${key.name}
              and (${after ?? null}::bigint is null or schedule_firings.id < ${after ?? null}::bigint)
            order by schedule_firings.id desc limit ${rows}::bigint
          ) found`
      ),
    begin,
    settle,
    waits,
    startable,
    fire
  }
}
