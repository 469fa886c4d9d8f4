import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Searchable documents. Each index has its own tables `search_part_<part>`, one per month of `@timestamp`, which are
 * created and dropped on demand: see docs/decisions/0018-search-in-postgresql.md.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table search_indices (
      tenant text not null,
      name text collate "C" not null,
      no integer generated always as identity unique,
      primary key (tenant, name)
    )`
  // month: of the documents in the part, as YYYY-MM. Documents without a date, or outside of the range, are in the part
  // ''.
  yield* sql`
    create table search_parts (
      no integer not null references search_indices (no) on delete cascade,
      month text collate "C" not null,
      part integer generated always as identity unique,
      primary key (no, month)
    )`
  // Tables that nothing refers to any more, but that somebody may still be reading.
  yield* sql`create table search_dropped (part integer primary key)`
  yield* sql`
    create function flow_instant(given jsonb) returns bigint language plpgsql immutable parallel safe as $$
    declare
      value text := given #>> '{}';
      part text[];
      month_days integer;
      zone integer := 0;
    begin
      if jsonb_typeof(given) = 'number' then
        if abs(value::numeric) <= 253402300799999 then return floor(value::numeric); end if;
        return null;
      end if;
      if jsonb_typeof(given) <> 'string' or length(value) not between 10 and 40 then return null; end if;
      part := regexp_match(value, '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2})(?::([0-9]{2})'
        '(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$');
      if part is null or part[1] = '0000' or part[2] not between '01' and '12' or part[3] < '01' then return null; end if;
      month_days := extract(day from make_date(part[1]::integer, part[2]::integer, 1) + interval '1 month - 1 day');
      if part[3]::integer > month_days or part[4] > '23' or part[5] > '59' or part[6] > '59' then return null; end if;
      if part[8] is not null and part[8] <> 'Z' then
        zone := substr(part[8], 2, 2)::integer * 60 + coalesce(nullif(replace(substr(part[8], 4), ':', ''), ''), '0')::integer;
        if zone > 1080 then return null; end if;
        if part[8] like '-%' then zone := -zone; end if;
      end if;
      return (make_date(part[1]::integer, part[2]::integer, part[3]::integer) - date '1970-01-01')::bigint * 86400000
        + coalesce(part[4], '0')::bigint * 3600000 + coalesce(part[5], '0')::bigint * 60000
        + coalesce(part[6], '0')::bigint * 1000 + rpad(left(coalesce(part[7], '0'), 3), 3, '0')::bigint - zone * 60000;
    end $$`
})
