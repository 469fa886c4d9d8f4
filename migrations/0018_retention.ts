import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * For retention: the text of a flowline is only stored with its version, and the ended executions and archives of each
 * tenant are counted. A deleted flowline with executions remains with `saved = false`.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* textOnce(sql)
  yield* counts(sql)
  // The listed version may be deleted, so a path stores the time of its first version.
  yield* sql`alter table registry_paths add column created_at timestamptz(3) not null default clock_timestamp()`
  yield* sql`
    update registry_paths p set created_at = v.created_at from registry_versions v
    where v.tenant = p.tenant and v.path = p.path and v.version = 1`
})

const textOnce = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`alter table flowlines add column unsaved_at timestamptz`
  yield* sql`update flowlines set unsaved_at = now() where not saved`
  yield* sql`
    insert into flowlines (tenant, id, version, saved, unsaved_at)
    select tenant, flowline_id, max(version), false, now() from executions group by tenant, flowline_id
    on conflict do nothing`
  yield* sql`
    insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
    select distinct on (tenant, flowline_id, version) tenant, flowline_id, version, dag, '', created_at
    from executions order by tenant, flowline_id, version, ordinal
    on conflict do nothing`
  yield* sql`alter table executions drop column dag`
  yield* sql`
    alter table executions add constraint executions_run_a_version
    foreign key (tenant, flowline_id, version) references flowline_versions`
  yield* sql`create index flowlines_unsaved on flowlines (tenant, unsaved_at) where not saved`
})

const counts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`alter table executions add column output_bytes bigint not null default 0`
  yield* sql`
    update executions e set output_bytes = o.bytes from (
      select tenant, execution_id, sum(octet_length(text) + octet_length(component)) as bytes
      from execution_output group by tenant, execution_id
    ) o where o.tenant = e.tenant and o.execution_id = e.id`
  yield* sql`create index executions_ended on executions (tenant, ended_at, id) where ended_at is not null`
  yield* sql`
    create table history_usage (
      tenant text not null,
      kind text not null,
      number bigint not null,
      bytes bigint not null,
      primary key (tenant, kind)
    )`
  yield* sql`
    create function flow_count_history(of_tenant text, of_kind text, more bigint, more_bytes bigint) returns void
    language sql as $$
      insert into history_usage as known (tenant, kind, number, bytes)
      values (of_tenant, of_kind, more, more_bytes)
      on conflict (tenant, kind) do update
      set number = known.number + excluded.number, bytes = known.bytes + excluded.bytes
    $$`
  yield* sql`
    create function flow_count_executions() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        perform flow_count_history(new.tenant, 'executions', 1, new.output_bytes);
      else
        perform flow_count_history(old.tenant, 'executions', -1, -old.output_bytes);
      end if;
      return null;
    end $$`
  // An execution is counted at its end, so that runs do not wait for the tenant's only row.
  yield* sql`
    create trigger count_ended after update of ended_at on executions
    for each row when (old.ended_at is null and new.ended_at is not null) execute function flow_count_executions()`
  yield* sql`
    create trigger count_deleted after delete on executions
    for each row when (old.ended_at is not null) execute function flow_count_executions()`
  yield* sql`
    create function flow_count_archives() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform flow_count_history(new.tenant, 'archives', 1, new.size);
      else
        perform flow_count_history(old.tenant, 'archives', -1, -old.size);
      end if;
      return null;
    end $$`
  yield* sql`
    create trigger count_archives after insert or delete on archives
    for each row execute function flow_count_archives()`
  yield* sql`
    insert into history_usage (tenant, kind, number, bytes)
    select tenant, 'executions', count(*), sum(output_bytes) from executions where ended_at is not null group by tenant
    union all select tenant, 'archives', count(*), sum(size) from archives group by tenant`
})
