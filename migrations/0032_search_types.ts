import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Each part of an index knows the types of the values of its fields, so that a chart need not prove the type of each
 * value. Parts of before know nothing of theirs.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // types: by dotted name a sum of 1 for numbers, 2 texts, 4 booleans, 8 lists and 16 objects. They are never taken back.
  // more: there are further fields. version: changes with them, for what gateways remember.
  yield* sql`
    alter table search_parts
      add column types jsonb, add column more boolean not null default false, add column version uuid`
})
