import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Counters that grow with requests and time, and numbers that follow one that a client has chosen: they may exceed 32
 * bits.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table channel_jobs
      alter column generation type bigint, alter column epoch type bigint, alter column restarts type bigint`
  // A search that reads parts one after the other keeps them until it has ended.
  yield* sql`alter table search_dropped add column removed_at timestamptz not null default clock_timestamp()`
  yield* sql`alter table stored_names alter column last_version type bigint`
  yield* sql`alter table stored_versions alter column version type bigint`
})
