import { Effect, Exit, Fiber, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import { clusterPoll, outageSettled, shardRefresh, takeover } from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { Departures } from "../postgres/Departures.ts"
import { Heartbeats } from "../postgres/Heartbeats.ts"
import { nanosOf } from "../postgres/HeartbeatTask.ts"

/** The shortest pause between two looks, in milliseconds, when a member is about to be silent for too long. */
const shortestPause = 50

/** How long a renewal of shards may take until this process decides without it: its deadline is `shardRefresh`. */
const renewalLimit = 0.75 * shardRefresh

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
    const heartbeats = yield* Heartbeats
    const own = (yield* Gateway).address
    const fork = Effect.runForkWith(yield* Effect.context<never>())
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

    /** Whether the session that held the locks has failed. */
    let isFailed = false

    /** Takes all locks again when they ended with their session, which may happen while the event loop stands still. */
    const renew: typeof storage.refresh = Effect.fnUntraced(function* (address, shards) {
      const begun = process.hrtime.bigint()
      const held = yield* Effect.tapError(storage.refresh(address, shards), () => Effect.sync(() => (isFailed = true)))
      const isLost = isFailed && held.length === 0
      isFailed = false
      if (!isLost || !heartbeats.unbrokenSince(begun - nanosOf(takeover))) return held
      return yield* storage.acquire(address, shards)
    })

    /**
     * A renewal that fails, or has a deadline that passes while the event loop stands still, would end all runs. While
     * this gateway's row is fresh nobody else takes its shards, so it keeps them until the next renewal. The timer is due
     * before the deadline, and runs in the same turn of the loop, so it must not wait for a fiber.
     */
    const refresh: typeof storage.refresh = (address, shards) => {
      const all = Array.from(shards)
      // Nothing to renew: the question is whether the storage works.
      if (all.length === 0) return storage.refresh(address, all)
      return Effect.callback((resume) => {
        const begun = process.hrtime.bigint()
        const isKept = () => heartbeats.unbrokenSince(begun - nanosOf(takeover))
        const timer = setTimeout(() => {
          if (isKept()) resume(Effect.succeed(all))
        }, renewalLimit)
        const fiber = fork(renew(address, all))
        fiber.addObserver((exit) => {
          clearTimeout(timer)
          resume(Exit.isFailure(exit) && isKept() ? Effect.succeed(all) : exit)
        })
        return Effect.andThen(
          Effect.sync(() => clearTimeout(timer)),
          Fiber.interrupt(fiber)
        )
      })
    }

    return RunnerStorage.of({ ...storage, getRunners, refresh, setRunnerHealth: () => Effect.void })
  })
)
