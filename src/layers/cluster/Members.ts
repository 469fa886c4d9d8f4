import { Effect, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import { clusterPoll, outageSettled, takeover } from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { Departures } from "../postgres/Departures.ts"

/** The shortest pause between two looks, in milliseconds, when a member is about to be silent for too long. */
const shortestPause = 50

/**
 * The members of the cluster: who updates its row in the table `gateways` is alive. Each member decides this for itself.
 * Effect's own check runs on one member only, and nobody makes it between that member's death and the expiry of its
 * shards.
 *
 * Reading the members waits for news: at most `clusterPoll`, shorter when a gateway of this host has gone or a member
 * has been silent for nearly too long.
 */
export const layer = Layer.effect(
  RunnerStorage,
  Effect.gen(function* () {
    const storage = yield* RunnerStorage
    const sql = yield* SqlClient.SqlClient
    const departures = yield* Departures
    const own = (yield* Gateway).address
    let seen = -1
    let pause = 0
    let lookedAt = Number.NEGATIVE_INFINITY
    let trustedFrom = Number.NEGATIVE_INFINITY

    /** The addresses of the living, and what remains to each until it counts as gone, in milliseconds. */
    const look = Effect.gen(function* () {
      const rows = yield* sql<{ address: string; remaining: number }>`
        select address, (${takeover} - extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as remaining
        from gateways`
      const now = performance.now()
      // After an outage of the database, or of this process, nobody's heartbeat is recent.
      if (now - lookedAt > takeover / 2) trustedFrom = now + outageSettled
      lookedAt = now
      const trusted = now >= trustedFrom
      const alive = rows.filter(({ address, remaining }) => address === own || remaining > 0 || !trusted)
      pause = Math.max(shortestPause, Math.min(clusterPoll, ...alive.map(({ remaining }) => remaining)))
      return new Set(alive.map(({ address }) => address)).add(own)
    })

    const getRunners = Effect.gen(function* () {
      yield* Effect.timeoutOption(departures.after(seen), pause)
      seen = departures.seen()
      // Also the pause after a failure.
      pause = clusterPoll
      const alive = yield* PersistenceError.refail(look)
      const runners = yield* storage.getRunners
      return runners.map(([runner]) => {
        const { host, port } = runner.address
        return [runner, alive.has(`${host}:${port}`)] as const
      })
    })

    return RunnerStorage.of({ ...storage, getRunners, setRunnerHealth: () => Effect.void })
  })
)
