import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { inBackground } from "../../services/shared/Background.ts"

/** Maximum number of rows that one statement deletes. */
const atOnce = 10_000

/**
 * Deletes the cluster messages of finished executions and jobs, with their replies. They are no longer needed: if one
 * is sent again, the row of the execution or job shows that there is nothing to do.
 */
export const deleteOldMessages = Effect.gen(function* () {
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

/** Deletes old cluster messages every ten minutes. */
export const layer = Layer.effectDiscard(
  inBackground("The removal of old cluster messages", Effect.ignore(deleteOldMessages), "10 minutes")
)
