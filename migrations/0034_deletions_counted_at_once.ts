import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Deleted executions, archives and stored versions are counted once a statement. A count for each row changed the tenant's
 * row of `history_usage` or `tenant_usage` as often in one transaction, and PostgreSQL follows all its earlier versions at
 * each change: the time of a deletion grew with the square of its rows.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* history(sql)
  yield* versions(sql)
})

const history = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`drop trigger count_deleted on executions`
  yield* sql`
    create function flow_count_deleted_executions() returns trigger language plpgsql as $$
    begin
      perform flow_count_history(tenant, 'executions', -count(*), -sum(output_bytes)::bigint)
      from gone where ended_at is not null group by tenant;
      return null;
    end $$`
  yield* sql`
    create trigger count_deleted after delete on executions referencing old table as gone
    for each statement execute function flow_count_deleted_executions()`
  yield* sql`drop trigger count_archives on archives`
  yield* sql`drop function flow_count_archives()`
  yield* sql`
    create function flow_count_archives() returns trigger language plpgsql as $$
    begin
      perform flow_count_history(tenant, 'archives', sign * count(*), sign * sum(size)::bigint)
      from changed, (select case tg_op when 'INSERT' then 1 else -1 end) as s(sign) group by tenant, sign;
      return null;
    end $$`
  yield* sql`
    create trigger count_inserted after insert on archives referencing new table as changed
    for each statement execute function flow_count_archives()`
  yield* sql`
    create trigger count_deleted after delete on archives referencing old table as changed
    for each statement execute function flow_count_archives()`
})

const versions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // As flow_count_usage: the stored version of an artifact shares its bytes, and data in the data area is not stored here.
  yield* sql`
    create function flow_count_deleted_versions() returns trigger language plpgsql as $$
    begin
      perform flow_count_stored(tenant, -count(*), -sum(size)::bigint) from gone
      where to_jsonb(gone) ->> 'origin' is null and to_jsonb(gone) ->> 'sha256' is not null group by tenant;
      return null;
    end $$`
  for (const table of ["artifact_versions", "stored_versions", "registry_versions"]) {
    yield* sql`drop trigger count_usage on ${sql(table)}`
    yield* sql`
      create trigger count_usage after insert or update on ${sql(table)}
      for each row execute function flow_count_usage()`
    yield* sql`
      create trigger count_deleted after delete on ${sql(table)} referencing old table as gone
      for each statement execute function flow_count_deleted_versions()`
  }
})
