import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Who changed what, and who was refused: a chain of rows for each tenant, and one, of the tenant '', for what belongs to
 * none. The hash of a row covers its content and the hash of the row before it. `audit_heads` has the last row of each
 * chain, and its lock orders those who append. docs/audit.md describes the encoding, which never changes.
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
  // Volatile: it sees a version that was committed while its statement waited for the lock of the flowline.
  yield* sql`
    create function flow_flowline_digest(of_tenant text, of_id text, of_version integer) returns text
    language sql volatile as $$
      select encode(sha256(convert_to(dag, 'UTF8')), 'hex') from flowline_versions
      where tenant = of_tenant and id = of_id and version = of_version
    $$`
  yield* sql`
    create function flow_audit_append(
      of_tenant text, principal text, method text, action text, target text, outcome text, status integer,
      request_id text, remote text, digest_before text, digest_after text, count bigint
    ) returns void language plpgsql as $$
    declare
      head audit_heads%rowtype;
      now timestamptz;
      next_hash text;
    begin
      select * into head from audit_heads h where h.tenant = of_tenant for update;
      if not found then
        insert into audit_heads (tenant) values (of_tenant) on conflict do nothing;
        select * into strict head from audit_heads h where h.tenant = of_tenant for update;
      end if;
      now := clock_timestamp();
      next_hash := encode(sha256(convert_to('['
        || '"' || head.hash || '",' || flow_audit_json(nullif(of_tenant, '')) || ',' || (head.seq + 1)::text
        || ',"' || flow_audit_time(now) || '",' || flow_audit_json(principal) || ',' || flow_audit_json(method)
        || ',' || flow_audit_json(action) || ',' || flow_audit_json(target) || ',' || flow_audit_json(outcome)
        || ',' || coalesce(status::text, 'null') || ',' || flow_audit_json(request_id) || ',' || flow_audit_json(remote)
        || ',' || flow_audit_json(digest_before) || ',' || flow_audit_json(digest_after) || ',' || count::text
        || ']', 'UTF8')), 'hex');
      insert into audit values (of_tenant, head.seq + 1, now, principal, method, action, target, outcome, status,
        request_id, remote, digest_before, digest_after, count, head.hash, next_hash);
      update audit_heads h set seq = head.seq + 1, hash = next_hash where h.tenant = of_tenant;
    end $$`
})
