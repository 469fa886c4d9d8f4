import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Executions with their events and output. `epoch` counts attempts: a write with an older epoch is refused. Executions
 * outlive a deleted flowline, so the executed definition is stored here.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table gateways (
      id text primary key,
      host text not null,
      pid integer not null,
      seen_at timestamptz not null
    )`
  yield* sql`
    create table executions (
      tenant text not null,
      id text not null,
      ordinal bigint generated always as identity,
      flowline_id text not null,
      version integer not null,
      runtime text not null,
      dag text not null,
      state text not null,
      epoch integer not null default 0,
      attempts integer not null default 0,
      owner text,
      job_id text,
      cancelled boolean not null default false,
      truncated boolean not null default false,
      created_at timestamptz(3) not null default clock_timestamp(),
      started_at timestamptz(3),
      ended_at timestamptz(3),
      event text,
      event_at timestamptz(3),
      error text,
      nodes text not null default '[]',
      lines bigint not null default 0,
      primary key (tenant, id)
    )`
  yield* sql`create unique index executions_in_order on executions (tenant, ordinal)`
  yield* sql`create unique index executions_of_flowline on executions (tenant, flowline_id, ordinal)`
  yield* sql`create index executions_open on executions (owner) where state in ('PENDING', 'RUNNING')`
  yield* sql`
    create table execution_events (
      tenant text not null,
      execution_id text not null,
      seq integer not null,
      event text not null,
      at timestamptz(3) not null,
      detail text,
      primary key (tenant, execution_id, seq),
      foreign key (tenant, execution_id) references executions on delete cascade
    )`
  yield* sql`
    create table execution_output (
      tenant text not null,
      execution_id text not null,
      seq bigint not null,
      at timestamptz(3) not null,
      component text not null,
      text text not null,
      primary key (tenant, execution_id, seq),
      foreign key (tenant, execution_id) references executions on delete cascade
    )`
})
