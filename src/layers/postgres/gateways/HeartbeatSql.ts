import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { outageGap } from "../../../protocol/Liveness.ts"
import type { HeartbeatTask } from "./HeartbeatTask.ts"

/**
 * The condition that a heartbeat is missing for so many milliseconds. It is compared with the newest heartbeat of any
 * gateway and never with now: while the database is away nobody can send one, and a statement may be carried out after
 * an outage that was sent before it. After an outage everybody has the whole time again.
 */
export const isSilent = (sql: SqlClient.SqlClient, at: Fragment, millis: number) =>
  sql`greatest(${at}, (select max(resumed_at) from gateways))
    < (select max(seen_at) from gateways) - ${`${millis} milliseconds`}::interval`

/** Milliseconds until a heartbeat is missing for so long, by the same rule; negative when it is. */
export const untilSilent = (sql: SqlClient.SqlClient, at: Fragment, millis: number) =>
  sql`(${millis} - 1000 * extract(epoch from (select max(seen_at) from gateways)
    - greatest(${at}, (select max(resumed_at) from gateways))))::float8`

/** When a gateway's heartbeat is the first of all after an outage: its time. Else `otherwise`. */
const resumedAt = (sql: SqlClient.SqlClient, otherwise: Fragment) =>
  sql`case when (select max(seen_at) from gateways) < clock_timestamp() - ${`${outageGap} milliseconds`}::interval
    then clock_timestamp() else ${otherwise} end`

/** The time, but not later than now; null stays null, unlike with `least`. */
const past = (sql: SqlClient.SqlClient, at: Fragment) =>
  sql`case when ${at} > clock_timestamp() then clock_timestamp() else ${at} end`

/**
 * Adds a gateway's row, or sends its heartbeat. After the database's clock was turned back, earlier heartbeats count as if
 * sent now: else the first gateway to send a new one would seem silent compared with them, and a gateway that is gone would
 * seem alive until the former time. Rows that others are changing are left to the next heartbeat, so that no gateway waits
 * for another one.
 */
export const enter = (sql: SqlClient.SqlClient, { id, host, pid, address }: HeartbeatTask["row"]) => sql`
  with ahead as (
    select id from gateways
    where id <> ${id} and greatest(seen_at, resumed_at) > clock_timestamp() + interval '1 second'
    for update skip locked
  ), turned as (
    update gateways set seen_at = ${past(sql, sql`seen_at`)}, resumed_at = ${past(sql, sql`resumed_at`)}
    where id in (select id from ahead)
  )
  insert into gateways (id, host, pid, address, seen_at, resumed_at)
  values (${id}, ${host}, ${pid}, ${address}, clock_timestamp(), ${resumedAt(sql, sql`null`)})
  on conflict (id) do update set seen_at = excluded.seen_at,
    resumed_at = ${resumedAt(sql, past(sql, sql`gateways.resumed_at`))}`
