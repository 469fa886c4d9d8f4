import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Versioned resources. Names sort by their bytes, so that every list has one order. Writers of a name lock the counters
 * and latest versions in `artifacts`, `stored_names` and `registry_paths`.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table artifacts (
      tenant text not null,
      grp text collate "C" not null,
      artifact text collate "C" not null,
      latest_key text collate "C" not null,
      primary key (tenant, grp, artifact)
    )`
  // doc: the metadata as JSON text, except the location of the bytes. version_key sorts in the order of versions.
  yield* sql`
    create table artifact_versions (
      tenant text not null,
      grp text collate "C" not null,
      artifact text collate "C" not null,
      version_key text collate "C" not null,
      version text not null,
      type text not null,
      doc text not null,
      described text not null,
      sha256 text not null,
      size bigint not null,
      primary key (tenant, grp, artifact, version_key),
      foreign key (tenant, grp, artifact) references artifacts on delete cascade
    )`
  yield* sql`create index artifact_versions_of_blob on artifact_versions (tenant, sha256)`
  yield* sql`create index artifact_versions_of_type on artifact_versions (tenant, type, grp, artifact)`
  yield* sql`
    create table stored_names (
      tenant text not null,
      name text collate "C" not null,
      last_version integer not null,
      primary key (tenant, name)
    )`
  // sha256 is null for files in the tenant's data area (path). origin: the artifact version that the row belongs to.
  yield* sql`
    create table stored_versions (
      tenant text not null,
      name text collate "C" not null,
      version integer not null,
      sha256 text,
      path text,
      size bigint not null,
      embedded boolean not null default false,
      properties text,
      encoding text,
      compression text,
      origin text,
      created_at timestamptz(3) not null default clock_timestamp(),
      primary key (tenant, name, version),
      foreign key (tenant, name) references stored_names on delete cascade,
      check ((sha256 is null) <> (path is null))
    )`
  yield* sql`create index stored_versions_of_blob on stored_versions (tenant, sha256)`
  yield* sql`create index stored_versions_of_origin on stored_versions (tenant, origin) where origin is not null`
  // A folder has version 0. A path is either a folder or a file, which its primary key decides.
  yield* sql`
    create table registry_paths (
      tenant text not null,
      path text collate "C" not null,
      version integer not null,
      primary key (tenant, path)
    )`
  yield* sql`
    create table registry_versions (
      tenant text not null,
      path text collate "C" not null,
      version integer not null,
      sha256 text not null,
      size bigint not null,
      created_at timestamptz(3) not null default clock_timestamp(),
      primary key (tenant, path, version),
      foreign key (tenant, path) references registry_paths on delete cascade
    )`
  yield* sql`create index registry_versions_of_blob on registry_versions (tenant, sha256)`
  yield* usage(sql)
})

/** The total of a tenant's stored data that its limits count. */
const usage = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`
    create table tenant_usage (
      tenant text primary key,
      bytes bigint not null,
      entries bigint not null
    )`
  // The stored version of an artifact shares its bytes, and data in the tenant's data area is not stored here.
  yield* sql`
    create function flow_count_usage() returns trigger language plpgsql as $$
    declare
      counted jsonb;
      was integer := 0;
      is_now integer := 0;
      bytes bigint := 0;
    begin
      if tg_op <> 'INSERT' then
        counted := to_jsonb(old);
        if counted ->> 'origin' is null and counted ->> 'sha256' is not null then
          was := 1;
          bytes := bytes - old.size;
        end if;
      end if;
      if tg_op <> 'DELETE' then
        counted := to_jsonb(new);
        if counted ->> 'origin' is null and counted ->> 'sha256' is not null then
          is_now := 1;
          bytes := bytes + new.size;
        end if;
      end if;
      if was <> is_now or bytes <> 0 then
        insert into tenant_usage as known (tenant, bytes, entries)
        values (coalesce(new.tenant, old.tenant), bytes, is_now - was)
        on conflict (tenant) do update
        set bytes = known.bytes + excluded.bytes, entries = known.entries + excluded.entries;
      end if;
      return null;
    end $$`
  for (const table of ["artifact_versions", "stored_versions", "registry_versions"]) {
    yield* sql`
      create trigger count_usage after insert or update or delete on ${sql(table)}
      for each row execute function flow_count_usage()`
  }
})
