import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The API keys of tenants. Only the SHA-256 of a key is stored. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // owner: the principal on whose rights the key depends. parent: the key that created it, if any; the key ends with
  // its parent.
  yield* sql`
    create table api_keys (
      id text collate "C" primary key,
      ordinal bigint generated always as identity,
      tenant text not null,
      sha256 bytea not null,
      name text not null,
      role text not null,
      owner text not null,
      parent text collate "C" references api_keys,
      created_at timestamptz(3) not null default clock_timestamp(),
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      revoked_at timestamptz(3)
    )`
  yield* sql`create unique index api_keys_in_order on api_keys (tenant, ordinal)`
  yield* sql`create index api_keys_of_parent on api_keys (parent) where parent is not null`
})
