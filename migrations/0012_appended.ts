import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The files that runs append to, each with the one scope (an execution, or a job of a channel) that may. `place` is how
 * much of the file belongs to the scope's saved positions: an attempt that goes on there cuts what is behind it. It is
 * null where nothing may be cut.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table appended_files (
      tenant text not null,
      path text not null,
      scope text not null,
      place jsonb,
      primary key (tenant, path)
    )`
  yield* sql`create index appended_files_of_scope on appended_files (tenant, scope)`
})
