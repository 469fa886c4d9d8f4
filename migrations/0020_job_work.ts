import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** `work` counts what a job has begun to do: attempts repeat the last piece of it until one succeeds. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table channel_jobs add column work bigint not null default 0`
})
