import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A version of a flowline stores the submitted file with its name; older versions have none. The versions of saved
 * flowlines count towards the tenant's limits. `generated`: created by an extraction. Such a flowline is not saved, but
 * can be read and run by its id as long as it has executions.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table flowline_versions add column source bytea, add column filename text, add column restored integer`
  yield* sql`alter table flowlines add column generated boolean not null default false`
  yield* counts(sql)
})

const counts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const size = sql.literal("coalesce(octet_length(v.source), octet_length(v.dag))")
  yield* sql`
    create function flow_count_stored(of_tenant text, more bigint, more_bytes bigint) returns void language sql as $$
      insert into tenant_usage as known (tenant, entries, bytes) values (of_tenant, more, more_bytes)
      on conflict (tenant) do update
      set entries = known.entries + excluded.entries, bytes = known.bytes + excluded.bytes
    $$`
  // The flowline is locked, so that its removal and that of its version do not both subtract the version.
  yield* sql`
    create function flow_count_flowline_version() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform from flowlines where tenant = new.tenant and id = new.id and saved;
        if found then perform flow_count_stored(new.tenant, 1, coalesce(octet_length(new.source), octet_length(new.dag))); end if;
      else
        perform from flowlines where tenant = old.tenant and id = old.id and saved for share;
        if found then perform flow_count_stored(old.tenant, -1, -coalesce(octet_length(old.source), octet_length(old.dag))); end if;
      end if;
      return null;
    end $$`
  yield* sql`
    create trigger count_usage after insert or delete on flowline_versions
    for each row execute function flow_count_flowline_version()`
  yield* sql`
    create function flow_count_unsaved() returns trigger language plpgsql as $$
    begin
      perform flow_count_stored(new.tenant, -count(*), -sum(${size})::bigint)
      from flowline_versions v where tenant = new.tenant and id = new.id having count(*) > 0;
      return null;
    end $$`
  yield* sql`
    create trigger count_usage after update of saved on flowlines
    for each row when (old.saved and not new.saved) execute function flow_count_unsaved()`
  yield* sql`
    select flow_count_stored(tenant, entries, bytes) from (
      select f.tenant, count(*) as entries, sum(${size})::bigint as bytes
      from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id where f.saved group by f.tenant
    ) as counted`
})
