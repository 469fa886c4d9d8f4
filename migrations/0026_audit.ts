import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Who changed what, and who was refused: a chain of rows per tenant, and one of the tenant '' for rows of no tenant.
 * The hash of a row covers its content and the hash of the previous row. `audit_heads` holds the last row of each
 * chain, and its lock orders the writers. docs/audit.md describes the encoding, which never changes.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table audit (
      tenant text not null,
      seq bigint not null,
      at timestamptz not null,
      principal text not null,
      method text not null,
      action text not null,
      target text not null,
      outcome text not null,
      status integer,
      request_id text not null,
      remote text,
      digest_before text,
      digest_after text,
      count bigint not null,
      previous text not null,
      hash text not null,
      primary key (tenant, seq)
    )`
  yield* sql`
    create table audit_heads (
      tenant text primary key,
      seq bigint not null default 0,
      hash text not null default repeat('0', 64)
    ) with (fillfactor = 50)`
  yield* sql`
    create function flow_audit_time(timestamptz) returns text language sql immutable parallel safe as
    $$ select to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$`
  yield* sql`
    create function flow_audit_json(text) returns text language sql immutable parallel safe as
    $$ select coalesce(to_json($1)::text, 'null') $$`
  // Volatile: it sees a version that was committed while the statement waited for the flowline's lock.
  yield* sql`
    create function flow_flowline_digest(of_tenant text, of_id text, of_version integer) returns text
    language sql volatile as $$
      select encode(sha256(convert_to(dag, 'UTF8')), 'hex') from flowline_versions
      where tenant = of_tenant and id = of_id and version = of_version
    $$`
  // An entry is added to its chain when its transaction commits, so the lock of the chain is not held longer than that.
  // No other transaction ever sees an entry, so this table may be lost in a crash.
  yield* sql`
    create unlogged table audit_entries (
      id bigint generated always as identity primary key,
      tenant text not null,
      principal text not null,
      method text not null,
      action text not null,
      target text not null,
      outcome text not null,
      status integer,
      request_id text not null,
      remote text,
      digest_before text,
      digest_after text,
      count bigint not null
    )`
  // The lock times out before the request does, so a 504 caused by the lock means that nothing was changed.
  yield* sql`
    create function flow_audit_append() returns trigger language plpgsql set lock_timeout = '3s' as $$
    declare
      head audit_heads%rowtype;
      now timestamptz;
      next_hash text;
    begin
      delete from audit_entries where id = new.id;
      select * into head from audit_heads h where h.tenant = new.tenant for update;
      if not found then
        insert into audit_heads (tenant) values (new.tenant) on conflict do nothing;
        select * into strict head from audit_heads h where h.tenant = new.tenant for update;
      end if;
      now := clock_timestamp();
      next_hash := encode(sha256(convert_to('['
        || '"' || head.hash || '",' || flow_audit_json(nullif(new.tenant, '')) || ',' || (head.seq + 1)::text
        || ',"' || flow_audit_time(now) || '",' || flow_audit_json(new.principal) || ',' || flow_audit_json(new.method)
        || ',' || flow_audit_json(new.action) || ',' || flow_audit_json(new.target)
        || ',' || flow_audit_json(new.outcome) || ',' || coalesce(new.status::text, 'null')
        || ',' || flow_audit_json(new.request_id) || ',' || flow_audit_json(new.remote)
        || ',' || flow_audit_json(new.digest_before) || ',' || flow_audit_json(new.digest_after)
        || ',' || new.count::text || ']', 'UTF8')), 'hex');
      insert into audit values (new.tenant, head.seq + 1, now, new.principal, new.method, new.action, new.target,
        new.outcome, new.status, new.request_id, new.remote, new.digest_before, new.digest_after, new.count,
        head.hash, next_hash);
      update audit_heads h set seq = head.seq + 1, hash = next_hash where h.tenant = new.tenant;
      return null;
    exception when others then
      -- A system error, which the gateway answers with 504: what cannot be audited is not done.
      raise exception 'The audit cannot be written: %', sqlerrm using errcode = '58000';
    end $$`
  yield* sql`
    create constraint trigger append after insert on audit_entries deferrable initially deferred
    for each row execute function flow_audit_append()`
})
