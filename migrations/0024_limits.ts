import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** For the limits of tenants: request rates, and counts that a transaction checks before it adds to them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A token bucket for each tenant (principal '') and each of its principals. Unlogged, because requests must not wait
  // for the disk: after a crash all buckets are full.
  yield* sql`
    create unlogged table request_rates (
      tenant text collate "C" not null,
      principal text collate "C" not null,
      tokens double precision not null,
      granted double precision not null,
      at timestamptz not null,
      primary key (tenant, principal)
    )`
  yield* sql`create index request_rates_at on request_rates (at)`
  // The number of the tenant's waiting executions. The lock lasts until the end of the transaction, so that of two
  // concurrent additions the second sees the first. Volatile, so that the count includes what was committed during the
  // wait for the lock.
  yield* sql`
    create function flow_waiting(of_tenant text, most bigint) returns bigint language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock(${sql.literal(String(0x77616974))}, hashtext(of_tenant));
      return (select count(*) from (
        select from executions where tenant = of_tenant and state = 'PENDING' limit most) as waiting);
    end $$`
  // The number of the tenant's started jobs, in the same way.
  yield* sql`
    create function flow_started_jobs(of_tenant text) returns bigint language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock(${sql.literal(String(0x6a6f6273))}, hashtext(of_tenant));
      return (select count(*) from channel_jobs
        where tenant = of_tenant and desired and status not in ('FAILED', 'FINISHED'));
    end $$`
})
