import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Functions of searches beyond JSON paths: fields by patterns, words near each other, and IP addresses. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The values of each field whose dotted name matches, inside lists too.
  yield* sql`
    create function flow_fields(doc jsonb, names text) returns setof jsonb
    language sql immutable parallel safe rows 5 as $$
      with recursive walk (path, value) as (
        select null::text, doc
        union all
        select
          case when member.name is null then walk.path else coalesce(walk.path || '.', '') || member.name end,
          member.value
        from walk cross join lateral (
          select key as name, value from jsonb_each(case jsonb_typeof(walk.value) when 'object' then walk.value else '{}' end)
          union all
          select null, value
          from jsonb_array_elements(case jsonb_typeof(walk.value) when 'array' then walk.value else '[]' end)
        ) as member
      )
      select jsonb_agg(value) from walk
      where jsonb_typeof(value) in ('string', 'number', 'boolean') and path ~ names group by path
    $$`
  // Whether each expression matches a different word, with at most `slop` moves from their sequence.
  yield* sql`
    create function flow_near(given jsonb, word text, patterns text[], slop integer) returns boolean
    language plpgsql immutable parallel safe as $$
    declare
      words text[];
      -- The positions of all expressions, one after the other, and where those of each end.
      places integer[] := '{}';
      ends integer[] := '{0}';
      used integer[];
      least integer;
      place integer;
      count integer := cardinality(patterns);
    begin
      if jsonb_typeof(given) <> 'string' then return false; end if;
      words := array(select m.match[1] from regexp_matches(given #>> '{}', '(' || word || ')', 'g')
        with ordinality as m (match, at) order by m.at);
      if count = 1 then return exists (select from unnest(words) as one where one ~ patterns[1]); end if;
      for i in 1..count loop
        for at in 1..cardinality(words) loop
          if words[at] ~ patterns[i] then places := places || at; end if;
        end loop;
        if cardinality(places) = ends[i] then return false; end if;
        ends := ends || cardinality(places);
      end loop;
      for i in 1..count loop
        for start in ends[i] + 1..ends[i + 1] loop
          least := places[start] - i;
          used := '{}';
          for j in 1..count loop
            place := null;
            for at in ends[j] + 1..ends[j + 1] loop
              if places[at] >= least + j and places[at] <= least + j + slop and not places[at] = any(used) then
                place := places[at];
                exit;
              end if;
            end loop;
            exit when place is null;
            used := used || place;
          end loop;
          if place is not null then return true; end if;
        end loop;
      end loop;
      return false;
    end $$`
  // An IP address as 32 hexadecimal digits; IPv4 addresses are mapped to IPv6. Null for anything else.
  yield* sql`
    create function flow_address(given jsonb) returns text language plpgsql immutable parallel safe as $$
    declare
      value text := given #>> '{}';
      dotted constant text := '(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])$';
      tail text;
      halves text[];
      head text[];
      rest text[];
      missing integer;
      groups text[];
    begin
      if jsonb_typeof(given) <> 'string' or length(value) > 45 or value !~ '^[0-9A-Fa-f:.]{2,45}$' then return null; end if;
      if value ~ ('^' || dotted) then
        groups := string_to_array(value, '.');
        return '00000000000000000000ffff' || lpad(to_hex(
          (groups[1]::bigint << 24) + (groups[2]::bigint << 16) + (groups[3]::bigint << 8) + groups[4]::bigint), 8, '0');
      end if;
      if value !~ ':' then return null; end if;
      tail := substring(value from '[^:]*$');
      if tail ~ '\\.' then
        if tail !~ ('^' || dotted) then return null; end if;
        value := left(value, length(value) - length(tail)) || (
          select string_agg(lpad(to_hex(part::integer), 2, '0') || case at when 2 then ':' else '' end, '' order by at)
          from unnest(string_to_array(tail, '.')) with ordinality as octets (part, at));
      end if;
      halves := string_to_array(value, '::');
      if cardinality(halves) > 2 then return null; end if;
      head := string_to_array(halves[1], ':');
      rest := coalesce(string_to_array(halves[2], ':'), '{}');
      missing := 8 - cardinality(head) - cardinality(rest);
      if cardinality(halves) = 2 and missing < 1 or cardinality(halves) = 1 and missing <> 0 then return null; end if;
      groups := head || array_fill('0'::text, array[missing]) || rest;
      if exists (select from unnest(groups) as part where part !~ '^[0-9A-Fa-f]{1,4}$') then return null; end if;
      return (select string_agg(lpad(lower(part), 4, '0'), '' order by at) from unnest(groups) with ordinality as g (part, at));
    end $$`
})
