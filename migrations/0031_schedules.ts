import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Schedules of saved flowlines, and their firings: one row each, which its key makes unique. A firing after an
 * execution is created in the transaction that ends the execution, so that no end is missed or counted twice.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The trigger of the execution as JSON, and the body if it was a webhook.
  yield* sql`alter table executions add column trigger text, add column body text`
  yield* sql`
    create table schedules (
      tenant text not null,
      name text collate "C" not null,
      definition text not null,
      flowline_id text not null,
      kind text not null,
      overlap text not null,
      paused boolean not null default false,
      revision bigint generated always as identity,
      anchor timestamptz(3) not null default clock_timestamp(),
      next_at timestamptz(3),
      after_flowline text,
      after_schedule text,
      after_on text,
      token_sha256 bytea,
      fault text,
      created_at timestamptz(3) not null default clock_timestamp(),
      changed_at timestamptz(3) not null default clock_timestamp(),
      primary key (tenant, name)
    )`
  yield* sql`create index schedules_due on schedules (next_at) where next_at is not null and not paused`
  yield* sql`create index schedules_of_files on schedules (tenant, name) where kind = 'file' and not paused`
  yield* sql`create index schedules_after_flowline on schedules (tenant, after_flowline) where after_flowline is not null`
  yield* sql`create index schedules_after_schedule on schedules (tenant, after_schedule) where after_schedule is not null`
  yield* sql`
    create table schedule_backfills (
      tenant text not null,
      schedule text collate "C" not null,
      id bigint generated always as identity,
      from_at timestamptz(3) not null,
      to_at timestamptz(3) not null,
      parallel integer not null,
      firings integer not null,
      created_at timestamptz(3) not null default clock_timestamp(),
      cancelled_at timestamptz(3),
      primary key (tenant, schedule, id),
      foreign key (tenant, schedule) references schedules on delete cascade
    )`
  yield* sql`
    create table schedule_firings (
      tenant text not null,
      schedule text collate "C" not null,
      key text collate "C" not null,
      id bigint generated always as identity,
      kind text not null,
      state text not null,
      reason text,
      scheduled_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      created_at timestamptz(3) not null default clock_timestamp(),
      started_at timestamptz(3),
      ended_at timestamptz(3),
      backfill bigint,
      file text,
      parameters text,
      body text,
      flowline_id text,
      version integer,
      execution_id text,
      primary key (tenant, schedule, key),
      foreign key (tenant, schedule) references schedules on delete cascade
    )`
  yield* sql`create unique index schedule_firings_in_order on schedule_firings (tenant, schedule, id)`
  yield* sql`
    create index schedule_firings_waiting on schedule_firings (tenant, schedule, backfill, id) where state = 'WAITING'`
  yield* sql`create index schedule_firings_open on schedule_firings (tenant, schedule, backfill) where state = 'STARTED'`
  yield* sql`create index schedule_firings_of_execution on schedule_firings (tenant, execution_id) where state = 'STARTED'`
  yield* sql`
    create index schedule_firings_over on schedule_firings (tenant, created_at) where state not in ('WAITING', 'STARTED')`
  // A file stays recorded as long as it exists, however old its firing is.
  yield* sql`
    create table schedule_files (
      tenant text not null,
      schedule text collate "C" not null,
      path text collate "C" not null,
      version text not null,
      since timestamptz not null default clock_timestamp(),
      fired boolean not null,
      primary key (tenant, schedule, path),
      foreign key (tenant, schedule) references schedules on delete cascade
    )`
  yield* sql`
    create function flow_comes_after(wanted text, state text) returns boolean language sql immutable as
    $$ select case wanted when 'any' then true when 'success' then state = 'SUCCEEDED' else state in ('FAILED', 'LOST') end $$`
  // Too many waiting firings are refused, except those of files, which wait in their folder.
  yield* sql`
    create function flow_room_of_schedule(of_tenant text, of_schedule text) returns boolean language sql volatile as $$
      select count(*) < 1000 from (
        select 1 from schedule_firings
        where tenant = of_tenant and schedule = of_schedule and state = 'WAITING' and backfill is null limit 1000
      ) waiting
    $$`
  yield* sql`
    create function flow_execution_ended() returns trigger language plpgsql as $$
    declare
      fired text;
    begin
      update schedule_firings set state = new.state, ended_at = clock_timestamp(), reason = left(new.error, 1000)
      where tenant = new.tenant and execution_id = new.id and state = 'STARTED'
      returning schedule into fired;
      insert into schedule_firings (tenant, schedule, key, kind, state, reason, scheduled_at, due_at)
      select s.tenant, s.name, 'after:' || new.id, 'after',
        case when flow_room_of_schedule(s.tenant, s.name) then 'WAITING' else 'REFUSED' end,
        case when flow_room_of_schedule(s.tenant, s.name) then null else '1000 firings of the schedule wait already' end,
        coalesce(new.ended_at, clock_timestamp()), clock_timestamp()
      from schedules s
      where s.tenant = new.tenant and not s.paused and flow_comes_after(s.after_on, new.state)
        and (s.after_flowline = new.flowline_id or s.after_schedule = fired)
      on conflict do nothing;
      return null;
    end $$`
  yield* sql`
    create trigger ended after update of state on executions for each row
    when (old.state in ('PENDING', 'RUNNING') and new.state not in ('PENDING', 'RUNNING'))
    execute function flow_execution_ended()`
})
