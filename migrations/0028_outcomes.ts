import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The outcome of a run, and an execution's values of parameters and variables, as JSON. Filtered lists are sorted by
 * the times of the requests, so that a time span is one range of an index.
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
