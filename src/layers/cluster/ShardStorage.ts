import { Effect, Layer, Semaphore } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import { unreachableWithin } from "../../drivers/postgres/Unreachable.ts"
import { shardAnswer, takeover } from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { isSilent } from "../postgres/Silence.ts"

/**
 * The members of the cluster and their shards, in the tables `gateways` and `cluster_shards`. A gateway loses a shard
 * only when its row in `gateways` has been deleted: Effect's own storage loses them with a connection, or when the
 * database has not answered for two seconds, and then all runs would end.
 */
export const layer = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* Gateway
    /** What the cluster has acquired here and not released. */
    const held = new Set<string>()
    const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
    const answered = <A, E>(statement: Effect.Effect<A, E>) =>
      PersistenceError.refail(unreachableWithin(shardAnswer)(inTurn(statement)))

    /** An acquisition whose answer got lost may have been made: the cluster does not know of these shards. */
    const releaseUnknown = Effect.suspend(
      () => sql`delete from cluster_shards where gateway = ${id} and not shard = any(${[...held]}::text[])`
    )

    const ownOf = Effect.fnUntraced(function* (shards: ReadonlyArray<string>) {
      const rows = yield* sql<{ shard: string }>`
        select shard from cluster_shards where gateway = ${id} and shard = any(${[...shards]}::text[])`
      return rows.map(({ shard }) => shard)
    })

    return RunnerStorage.makeEncoded({
      getRunners: PersistenceError.refail(
        unreachableWithin(takeover)(sql<{ runner: string }>`
          select runner from gateways
          where runner is not null and ${isSilent(sql, sql`seen_at`, takeover)} is not true`)
      ).pipe(Effect.map((rows) => rows.map(({ runner }) => [runner, true] as const))),
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
          // Nobody can take a shard while the database is away, and who has lost one hears of it afterwards.
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
