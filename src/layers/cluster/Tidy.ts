import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../postgres/Unreachable.ts"

/** Rows that one round removes at most. */
const atOnce = 10_000

/**
 * Removes messages whose executions and jobs have come to their end, with the answers to them. They are of no use any
 * more: should one be sent again, the execution's or the job's own row says that there is nothing to do.
 */
const tidy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    with done as (
      delete from flow_cluster_messages
      where id in (
        select id from flow_cluster_messages
        where processed and (last_read is null or last_read < now() at time zone 'UTC' - interval '1 hour')
        limit ${atOnce}
      ) returning request_id
    )
    delete from flow_cluster_replies where request_id in (select request_id from done)`
}).pipe(unreachable, Effect.ignore)

/** Tidies the cluster's messages every ten minutes. */
export const layer = Layer.effectDiscard(Effect.forkScoped(Effect.schedule(tidy, Schedule.spaced("10 minutes"))))
