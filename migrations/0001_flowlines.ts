import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Flowlines and their immutable versions. A flowline with `saved = false` is executed once, and is not listed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function flow_iso(timestamptz) returns text language sql immutable parallel safe as
    $$ select to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$`
  yield* sql`
    create table flowlines (
      tenant text not null,
      id text not null,
      ordinal bigint generated always as identity,
      version integer not null,
      saved boolean not null,
      primary key (tenant, id)
    )`
  yield* sql`create unique index flowlines_in_order on flowlines (tenant, ordinal) where saved`
  yield* sql`
    create table flowline_versions (
      tenant text not null,
      id text not null,
      version integer not null,
      dag text not null,
      platform_id text not null,
      saved_at timestamptz(3) not null,
      primary key (tenant, id, version),
      foreign key (tenant, id) references flowlines on delete cascade
    )`
})
