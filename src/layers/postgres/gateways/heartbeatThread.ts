import { writeSync } from "node:fs"
import { workerData } from "node:worker_threads"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { beatDeadline, heartbeat, standstill } from "../../../protocol/Liveness.ts"
import { clientConfig, short } from "../Postgres.ts"
import { enter } from "./HeartbeatSql.ts"
import { type HeartbeatTask, nanosOf, signOf, stamp } from "./HeartbeatTask.ts"

// Entry of the thread that gives a gateway's signs of life, to its runs and in the database, while requests keep the
// event loop of the main thread busy. It stops when the main thread has stood still for too long.

const { url, row, signs, shared }: HeartbeatTask = workerData
const stamps = new BigInt64Array(shared)

const mainGoesOn = (): boolean => process.hrtime.bigint() - Atomics.load(stamps, stamp.main) < nanosOf(standstill)

const sign = () => {
  if (mainGoesOn()) writeSync(signs, signOf(process.hrtime.bigint()), 0, 8, 0)
}
sign()
setInterval(sign, heartbeat / 2)

const beating = Effect.gen(function* () {
  const sql = yield* PgClient.make({ ...clientConfig(Redacted.make(url), short), maxConnections: 1 })
  const beat = Effect.gen(function* () {
    if (!mainGoesOn()) return
    const before = process.hrtime.bigint()
    yield* enter(sql, row)
    Atomics.store(stamps, stamp.confirmed, before)
  })
  yield* beat.pipe(Effect.timeout(beatDeadline), Effect.repeat(Schedule.spaced(heartbeat)))
})

// Each failure is followed by a new connection.
Effect.runFork(
  Effect.scoped(beating).pipe(
    Effect.sandbox,
    Effect.retry(Schedule.spaced(heartbeat / 2)),
    Effect.provide(Reactivity.layer)
  )
)
