import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"

/** Rows that one statement removes at most. */
const atOnce = 10_000

/**
 * Removes messages whose executions and jobs have come to their end, with the answers to them. They are of no use any
 * more: should one be sent again, the execution's or the job's own row says that there is nothing to do.
 */
export const tidy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let removed = atOnce; removed === atOnce; ) {
    const [row] = yield* sql<{ removed: number }>`
      with done as (
        delete from flow_cluster_messages
        where id in (
          select id from flow_cluster_messages
          where processed and (last_read is null or last_read < now() at time zone 'UTC' - interval '10 minutes')
          order by id limit ${atOnce} for update skip locked
        ) returning request_id
      ), answers as (
        delete from flow_cluster_replies where request_id in (select request_id from done)
      )
      select count(*)::integer as removed from done`
    removed = row?.removed ?? 0
  }
}).pipe(unreachable)

/** Tidies the cluster's messages every ten minutes, the first time a minute after the start. */
export const layer = Layer.effectDiscard(
  Effect.ignore(tidy).pipe(Effect.repeat(Schedule.spaced("10 minutes")), Effect.delay("1 minute"), Effect.forkScoped)
)
