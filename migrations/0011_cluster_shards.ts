import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The gateway of each shard of the cluster. A gateway keeps its shards as long as it has a row in `gateways`, however
 * long the database is away: see docs/decisions/0021-cluster.md.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // runner: the gateway's address in the cluster. resumed_at: when it sent the first heartbeat of any gateway after an
  // outage.
  yield* sql`alter table gateways add column runner text, add column resumed_at timestamptz`
  yield* sql`
    create table cluster_shards (
      shard text primary key,
      gateway text not null references gateways on delete cascade
    )`
  // The message ids of the cluster allow 1,024 writers.
  yield* sql`create sequence cluster_machines minvalue 0 maxvalue 1023 cycle`
})
