import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The positions of inputs in their sources. `scope` outlives a run: it is an execution with its attempts, or a job of a
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
