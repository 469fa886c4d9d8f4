import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Archives of executions. Their bytes are blobs; several archives of a tenant may share one. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table archives (
      tenant text not null,
      id text not null,
      ordinal bigint generated always as identity,
      flowline_id text not null,
      sha256 text not null,
      size bigint not null,
      entries integer not null,
      created_at timestamptz(3) not null default clock_timestamp(),
      primary key (tenant, id)
    )`
  yield* sql`create unique index archives_in_order on archives (tenant, ordinal)`
  yield* sql`create index archives_of_blob on archives (tenant, sha256)`
})
