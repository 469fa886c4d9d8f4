import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Stores version 1 of a flowline that is executed once: executions refer to the version that they run. */
export const addVersion = Effect.fnUntraced(function* (tenant: string, id: string, dag = "{}") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into flowlines (tenant, id, version, saved, unsaved_at) values (${tenant}, ${id}, 1, false, now())
    on conflict do nothing`
  yield* sql`
    insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
    values (${tenant}, ${id}, 1, ${dag}, 'p', now()) on conflict do nothing`
})
