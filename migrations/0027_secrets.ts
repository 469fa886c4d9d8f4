import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The encrypted secrets of tenants. A `version` is never reused, so only a client that has read a row can replace it.
 * The version is authenticated with the value, like tenant and name.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create sequence secret_versions`
  yield* sql`
    create table secrets (
      tenant text not null,
      name text collate "C" not null,
      version bigint not null,
      key_id text not null,
      nonce bytea not null,
      ciphertext bytea not null,
      set_at timestamptz(3) not null default clock_timestamp(),
      set_by text not null,
      primary key (tenant, name)
    )`
})
