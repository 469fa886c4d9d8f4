import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Jobs of channels. `desired` is the requested state, and `generation` counts the requests. `epoch` counts the keepers
 * of the job: a write with an older epoch is refused.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The address of a gateway in the cluster.
  yield* sql`alter table gateways add column address text`
  yield* sql`
    create table channel_jobs (
      tenant text not null,
      channel text collate "C" not null,
      cluster text collate "C" not null,
      job text collate "C" not null,
      desired boolean not null,
      generation integer not null,
      epoch integer not null default 0,
      status text not null,
      since timestamptz(3) not null default clock_timestamp(),
      restarts integer not null default 0,
      failures jsonb not null default '[]',
      last_error text,
      node text,
      job_id text,
      heartbeat_at timestamptz,
      next_at timestamptz(3),
      nodes text not null default '[]',
      lines bigint not null default 0,
      primary key (tenant, channel, cluster, job)
    )`
  yield* sql`
    create table channel_output (
      tenant text not null,
      channel text collate "C" not null,
      cluster text collate "C" not null,
      job text collate "C" not null,
      seq bigint not null,
      at timestamptz(3) not null,
      component text not null,
      text text not null,
      primary key (tenant, channel, cluster, job, seq),
      foreign key (tenant, channel, cluster, job) references channel_jobs on delete cascade
    )`
})
