import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Where inputs stand in what they read. `scope` is what outlives a run: an execution with its attempts, or a job of a
 * channel.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table positions (
      tenant text not null,
      scope text not null,
      component text not null,
      value jsonb not null,
      primary key (tenant, scope, component)
    )`
})
