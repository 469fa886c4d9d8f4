import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Deleted executions and archives are counted once a statement. A count for each row changed the tenant's row of
 * `history_usage` as often in one transaction, and PostgreSQL follows all its earlier versions at each change: the time of
 * a deletion grew with the square of its rows.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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
