import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** `work` counts the pieces of work that a job has begun. Attempts repeat the last one until one succeeds. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table channel_jobs add column work bigint not null default 0`
})
