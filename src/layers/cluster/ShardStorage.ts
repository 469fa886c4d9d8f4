import { Effect, Layer, Semaphore } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import { unreachableWithin } from "../../drivers/postgres/Unreachable.ts"
import { clusterPoll, heartbeat, shardAnswer, takeover } from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { Departures } from "../postgres/gateways/Departures.ts"
import { untilSilent } from "../postgres/gateways/HeartbeatSql.ts"

/** Minimum milliseconds between two reads of the members, while one of them is about to exceed the silence limit. */
const shortestPause = 50

/**
 * The members of the cluster and their shards, in the tables `gateways` and `cluster_shards`. A gateway loses a shard
 * only when its row in `gateways` has been deleted. With Effect's own storage it would lose its shards, and thus end
 * all runs, when a connection breaks or the database has not answered for two seconds.
 *
 * Reading the members waits for news: at most `clusterPoll`, shorter when a gateway of this host has gone or a member
 * has nearly exceeded the silence limit. Members that exceeded it are removed first, so that their shards are free when
 * they are assigned: an acquisition that gets none is repeated only after a second. Each member does this check itself:
 * Effect's own check runs on one member only, and stops when that member dies.
 */
export const layer = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const departures = yield* Departures
    const { id } = yield* Gateway
    /** The shards that the cluster acquired here and has not released. */
    const held = new Set<string>()
    const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
    const answered = <A, E>(statement: Effect.Effect<A, E>) =>
      PersistenceError.refail(unreachableWithin(shardAnswer)(inTurn(statement)))

    /** Releases shards whose acquisition succeeded without the cluster knowing it, because the answer got lost. */
    const releaseUnknown = Effect.suspend(
      () => sql`delete from cluster_shards where gateway = ${id} and not shard = any(${[...held]}::text[])`
    )

    const ownOf = Effect.fnUntraced(function* (shards: ReadonlyArray<string>) {
      const rows = yield* sql<{ shard: string }>`
        select shard from cluster_shards where gateway = ${id} and shard = any(${[...shards]}::text[])`
      return rows.map(({ shard }) => shard)
    })

    /** Number of departures known at the last read. */
    let heard = -1
    let pause = 0

    const look = sql<{ runner: string; remaining: number }>`
      select runner, ${untilSilent(sql, sql`seen_at`, takeover)} as remaining from gateways where runner is not null`

    const members = Effect.gen(function* () {
      yield* Effect.timeoutOption(departures.after(heard), pause)
      heard = departures.seen()
      // Also the pause after a failure.
      pause = clusterPoll
      let rows = yield* look
      if (rows.some(({ remaining }) => remaining < heartbeat)) {
        yield* departures.removeSilent
        rows = yield* look
      }
      const alive = rows.filter(({ remaining }) => remaining >= 0)
      pause = Math.max(shortestPause, Math.min(clusterPoll, ...alive.map(({ remaining }) => remaining)))
      return alive.map(({ runner }) => [runner, true] as const)
    })

    return RunnerStorage.makeEncoded({
      getRunners: PersistenceError.refail(unreachableWithin(takeover)(members)),
      register: (_address, runner) =>
        Effect.gen(function* () {
          const [row] = yield* sql<{ machine: number }>`
            update gateways set runner = ${runner} where id = ${id} returning nextval('cluster_machines')::integer as machine`
          return row?.machine ?? (yield* Effect.die("This gateway has no row yet"))
        }).pipe(answered),
      unregister: () => answered(sql`update gateways set runner = null where id = ${id}`).pipe(Effect.asVoid),
      // Whether a gateway is alive follows from its heartbeats.
      setRunnerHealth: () => Effect.void,
      acquire: (_address, shards) =>
        Effect.gen(function* () {
          yield* sql`
            insert into cluster_shards (shard, gateway)
            select shard, ${id} from unnest(${[...shards]}::text[]) as wanted (shard) order by shard
            on conflict do nothing`
          const own = yield* ownOf(shards)
          for (const shard of own) held.add(shard)
          return own
        }).pipe(answered),
      refresh: (_address, shards) =>
        Effect.andThen(releaseUnknown, ownOf(shards)).pipe(
          answered,
          // While the database is away nobody can take a shard; a member that has lost one learns it afterwards.
          Effect.orElseSucceed(() => shards)
        ),
      release: (_address, shard) =>
        sql`delete from cluster_shards where gateway = ${id} and shard = ${shard}`.pipe(
          Effect.andThen(Effect.sync(() => void held.delete(shard))),
          answered
        ),
      releaseAll: () =>
        sql`delete from cluster_shards where gateway = ${id}`.pipe(
          Effect.andThen(Effect.sync(() => held.clear())),
          answered
        )
    })
  })
)
