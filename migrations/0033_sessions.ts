import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Browser sessions. Of the cookie's token only the SHA-256 is stored, and of the credential only what identifies it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // proof: the session's login as JSON, by which each request looks up the rights.
  yield* sql`
    create table sessions (
      sha256 bytea primary key,
      principal text not null,
      proof text not null,
      began_at timestamptz(3) not null default clock_timestamp(),
      used_at timestamptz(3) not null default clock_timestamp(),
      ends_at timestamptz(3) not null
    )`
  yield* sql`create index sessions_of_principal on sessions (principal, used_at)`
  yield* sql`create index sessions_by_use on sessions (used_at)`
})
