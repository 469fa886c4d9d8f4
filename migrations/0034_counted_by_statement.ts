import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Rows are counted once a statement, where a statement may make or delete many. A count for each row changed the tenant's
 * row of `history_usage` or `tenant_usage` as often in one transaction, and PostgreSQL follows all its earlier versions at
 * each change: the time grew with the square of the rows.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* executions(sql)
  yield* archives(sql)
  yield* stored(sql)
  yield* flowlines(sql)
})

const executions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`drop trigger count_deleted on executions`
  // Of one end; a trigger for some columns cannot be one of statements.
  yield* sql`
    create or replace function flow_count_executions() returns trigger language plpgsql as $$
    begin
      perform flow_count_history(new.tenant, 'executions', 1, new.output_bytes);
      return null;
    end $$`
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
})

const archives = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`drop trigger count_archives on archives`
  yield* sql`
    create or replace function flow_count_archives() returns trigger language plpgsql as $$
    declare
      sign integer := case tg_op when 'INSERT' then 1 else -1 end;
    begin
      perform flow_count_history(tenant, 'archives', sign * count(*), sign * sum(size)::bigint)
      from changed group by tenant;
      return null;
    end $$`
  yield* sql`
    create trigger count_inserted after insert on archives referencing new table as changed
    for each statement execute function flow_count_archives()`
  yield* sql`
    create trigger count_deleted after delete on archives referencing old table as changed
    for each statement execute function flow_count_archives()`
})

/** Versions of artifacts, stored resources and the registry. What is counted is said in migration 5. */
const stored = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`
    create function flow_count_versions() returns trigger language plpgsql as $$
    declare
      sign integer := case tg_op when 'INSERT' then 1 else -1 end;
    begin
      perform flow_count_stored(tenant, sign * count(*), sign * sum(size)::bigint)
      from changed, lateral (select to_jsonb(changed) as members) as v
      where v.members ->> 'origin' is null and v.members ->> 'sha256' is not null group by tenant;
      return null;
    end $$`
  for (const table of ["artifact_versions", "stored_versions", "registry_versions"]) {
    yield* sql`drop trigger count_usage on ${sql(table)}`
    yield* sql`
      create trigger count_updated after update on ${sql(table)}
      for each row execute function flow_count_usage()`
    yield* sql`
      create trigger count_inserted after insert on ${sql(table)} referencing new table as changed
      for each statement execute function flow_count_versions()`
    yield* sql`
      create trigger count_deleted after delete on ${sql(table)} referencing old table as changed
      for each statement execute function flow_count_versions()`
  }
})

const flowlines = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`drop trigger count_usage on flowline_versions`
  yield* sql`
    create or replace function flow_count_flowline_version() returns trigger language plpgsql as $$
    begin
      perform from flowlines where tenant = new.tenant and id = new.id and saved;
      if found then perform flow_count_stored(new.tenant, 1, coalesce(octet_length(new.source), octet_length(new.dag))); end if;
      return null;
    end $$`
  yield* sql`
    create trigger count_usage after insert on flowline_versions
    for each row execute function flow_count_flowline_version()`
  // As in migration 29: flowlines are locked, so that their removal does not subtract the same versions.
  yield* sql`
    create function flow_count_deleted_flowline_versions() returns trigger language plpgsql as $$
    begin
      perform from flowlines f
      where saved and exists (select from gone where tenant = f.tenant and id = f.id) order by tenant, id for share;
      perform flow_count_stored(f.tenant, -count(*), -sum(coalesce(octet_length(source), octet_length(dag)))::bigint)
      from gone join flowlines f on f.tenant = gone.tenant and f.id = gone.id where f.saved group by f.tenant;
      return null;
    end $$`
  yield* sql`
    create trigger count_deleted after delete on flowline_versions referencing old table as gone
    for each statement execute function flow_count_deleted_flowline_versions()`
})
