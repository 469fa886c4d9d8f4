import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What came of a run, and the values of parameters and variables with which an execution runs, as JSON. A list that is
 * filtered is in the order of the requests' times, so that a span of time is one range of an index.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table executions add column outcome text, add column counts text, add column reasons text,
      add column parameters text, add column variables text, add column environment text`
  yield* sql`alter table execution_events add column outcome text`
  yield* sql`alter table channel_jobs add column outcome text`
  yield* sql`create index executions_by_time on executions (tenant, created_at, ordinal)`
  yield* sql`create index executions_by_state on executions (tenant, state, created_at, ordinal)`
  yield* sql`
    create index executions_by_outcome on executions (tenant, outcome, created_at, ordinal) where outcome is not null`
  yield* sql`create index executions_of_flowline_by_time on executions (tenant, flowline_id, created_at, ordinal)`
  yield* sql`
    create index executions_of_flowline_by_state on executions (tenant, flowline_id, state, created_at, ordinal)`
})
