import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Each part of an index records the types of its fields' values, so that a chart need not check the type of each value.
 * Older parts have no types.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // types: for each dotted name the sum of 1 for numbers, 2 texts, 4 booleans, 8 lists and 16 objects. Types are never
  // removed.
  // more: whether there are further fields. version: changes with both, for the gateways' caches.
  yield* sql`
    alter table search_parts
      add column types jsonb, add column more boolean not null default false, add column version uuid`
})
