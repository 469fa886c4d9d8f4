import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { Conflict } from "../../../errors/Conflict.ts"
import type { Firing, FiringKind } from "../../../services/schedules/Schedule.ts"
import {
  type FiringExecution,
  type NewFiring,
  notWaiting,
  overlapping,
  type ScheduleKey,
  type ScheduleStore,
  type StoredRow,
  startedAtOnce,
  type WaitingFiring
} from "../../../services/schedules/ScheduleStore.ts"
import type { Due } from "../../../services/schedules/Times.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { listPages } from "../statements/Pages.ts"
import { millisOf, storable, timeOf } from "../statements/SqlText.ts"
import { reached } from "../statements/StoredRows.ts"

/** Backfills of a schedule that one look considers. */
const backfillsAtOnce = 100

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
    startedOf: (made: A) => FiringExecution
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

  /**
   * The schedules that have waiting firings: one probe of the index for each, however many firings wait, so that no tenant
   * hides those of another one. Here and below the order names all columns of the index of waiting firings, so that none
   * is searched for among those that are over.
   */
  const waiting = sql`
    with recursive waiting as (
      (select tenant, schedule from schedule_firings where state = 'WAITING' order by tenant, schedule, backfill limit 1)
      union all
      select n.* from waiting w cross join lateral (
        select tenant, schedule from schedule_firings f
        where f.state = 'WAITING' and (f.tenant, f.schedule) > (w.tenant, w.schedule)
        order by tenant, schedule, backfill limit 1
      ) n
    )
    select * from waiting`

  /** The first backfills of a schedule that have waiting firings. */
  const waitingBackfills = sql`
    with recursive waiting as (
      (select backfill, 1 as place from schedule_firings f
        where f.state = 'WAITING' and f.tenant = s.tenant and f.schedule = s.name and backfill is not null
        order by backfill limit 1)
      union all
      select n.backfill, w.place + 1 from waiting w cross join lateral (
        select backfill from schedule_firings f
        where f.state = 'WAITING' and f.tenant = s.tenant and f.schedule = s.name and f.backfill > w.backfill
        order by backfill limit 1
      ) n
      where w.place < ${backfillsAtOnce}
    )
    select backfill from waiting`

  /** The oldest firings of a schedule or a backfill, as many as there is room for. */
  const oldest = (of: Statement.Fragment, room: Statement.Fragment) => sql`
    select * from schedule_firings f
    where f.tenant = s.tenant and f.schedule = s.name and ${of}
      and f.state = 'WAITING' and (not s.paused or f.kind in ('run', 'backfill'))
      -- A clock that was turned back makes nothing wait.
      and (f.due_at <= clock_timestamp() or f.created_at > clock_timestamp())
    order by f.backfill, f.id limit ${room}`

  const roomOfSchedule = sql`
    case when s.overlap <> 'queue' then ${startedAtOnce}
      when exists (select 1 from schedule_firings o
        where o.tenant = s.tenant and o.schedule = s.name and o.state = 'STARTED' and o.backfill is null) then 0
      else 1 end`

  const roomOfBackfill = sql`
    greatest(0, coalesce((select parallel from schedule_backfills o
        where o.tenant = s.tenant and o.schedule = s.name and o.id = b.backfill), 1)
      - (select count(*) from schedule_firings o
        where o.tenant = s.tenant and o.schedule = s.name and o.state = 'STARTED' and o.backfill = b.backfill))`

  /** The members of a firing that may start, and whether it waits for room rather than being refused or skipped. */
  const startColumns = sql`
    f.tenant, f.schedule as name, f.key, f.id, f.kind, s.definition, f.scheduled_at, f.due_at, f.backfill, f.file,
    f.parameters, f.body, s.overlap = 'queue' or f.backfill is not null as waits`

  const asFirings = sql`
    tenant, name, key, id::text as id, kind, definition, ${millisOf(sql, "scheduled_at")} as "scheduledAt",
    ${millisOf(sql, "due_at")} as "dueAt", backfill::text as backfill, file, parameters, body`

  const startable = Effect.fn("ScheduleStore.startable")(function* (
    suspended: ReadonlyArray<TenantId>,
    only?: { readonly key: ScheduleKey; readonly firing: string }
  ) {
    if (only !== undefined) {
      const { key, firing } = only
      return yield* sql<WaitingFiring>`
        select ${asFirings} from (
          select ${startColumns} from schedules s cross join lateral (${oldest(sql`f.key = ${firing}`, sql`1`)}) f
          where s.tenant = ${key.tenant} and s.name = ${key.name} and not s.tenant = any(${[...suspended]}::text[])
        ) firing`
    }
    return yield* sql<WaitingFiring>`
      with schedule as materialized (
        select s.* from (${waiting}) w join schedules s on s.tenant = w.tenant and s.name = w.schedule
        where not w.tenant = any(${[...suspended]}::text[])
      ), found as (
        select ${startColumns} from schedule s cross join lateral (${oldest(sql`f.backfill is null`, roomOfSchedule)}) f
        union all
        select ${startColumns} from schedule s cross join lateral (${waitingBackfills}) b
          cross join lateral (${oldest(sql`f.backfill = b.backfill`, roomOfBackfill)}) f
      ), placed as (
        select *, row_number() over (partition by tenant order by waits, id) as place from found
      )
      select ${asFirings} from placed where place <= ${startedAtOnce} order by placed.id`
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
