import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { outageGap } from "../../protocol/Liveness.ts"

/**
 * The condition that a heartbeat is missing for so many milliseconds. It is compared with the newest heartbeat of any
 * gateway and never with now: while the database is away nobody can send one, and a statement may be carried out after
 * an outage that was sent before it. After an outage everybody has the whole time again.
 */
export const isSilent = (sql: SqlClient.SqlClient, at: Fragment, millis: number) =>
  sql`greatest(${at}, (select max(resumed_at) from gateways))
    < (select max(seen_at) from gateways) - ${`${millis} milliseconds`}::interval`

/** When a gateway's heartbeat is the first of all after an outage: its time. Else `otherwise`. */
export const resumedAt = (sql: SqlClient.SqlClient, otherwise: Fragment) =>
  sql`case when (select max(seen_at) from gateways) < clock_timestamp() - ${`${outageGap} milliseconds`}::interval
    then clock_timestamp() else ${otherwise} end`
