import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** For the length of a tenant's queue, which each start of an execution queries. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index executions_pending on executions (tenant) where state = 'PENDING'`
})
