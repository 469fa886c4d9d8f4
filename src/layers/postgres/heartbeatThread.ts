import { writeSync } from "node:fs"
import { workerData } from "node:worker_threads"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { beatDeadline, heartbeat, lease, standstill } from "../../protocol/Liveness.ts"
import { type HeartbeatTask, nanosOf, signOf, stamp } from "./HeartbeatTask.ts"
import { clientConfig, short } from "./Postgres.ts"

// Entry of the thread that gives a gateway's signs of life, to its runs and in the database, while requests keep the
// event loop of the main thread busy. It stops when the main thread has stood still for too long.

const { url, row, runners, signs, shared }: HeartbeatTask = workerData
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
    yield* sql`
      insert into gateways (id, host, pid, address, seen_at)
      values (${row.id}, ${row.host}, ${row.pid}, ${row.address}, clock_timestamp())
      on conflict (id) do update set seen_at = excluded.seen_at`
    // The cluster's own table appears with the first member.
    yield* Effect.ignore(sql`update ${sql(runners)} set last_heartbeat = now() where address = ${row.address}`)
    const after = process.hrtime.bigint()
    if (after - Atomics.load(stamps, stamp.confirmed) > nanosOf(lease)) Atomics.store(stamps, stamp.unbroken, after)
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
