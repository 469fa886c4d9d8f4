import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Files that runs append to, each with the only scope (an execution, or a job of a channel) that may do so. `place` is
 * the length of the file at the scope's saved positions: an attempt that resumes there truncates the rest. It is null
 * where nothing may be truncated.
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
