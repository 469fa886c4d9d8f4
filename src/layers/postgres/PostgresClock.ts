import { Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { clockLook } from "../../protocol/Liveness.ts"
import { monotonicNow } from "../../protocol/MonotonicTime.ts"
import { retryWhileUnreachable } from "../../services/runs/Outage.ts"
import { ScheduleClock } from "../../services/runs/ScheduleClock.ts"
import { millisOf } from "./statements/SqlText.ts"

/** A difference of at least this many milliseconds is a jump; less is drift, and never turns the time back. */
const jump = 1000

/** A smaller difference is not worth a correction. */
const precision = 20

/** The clock of PostgreSQL. It is looked at when the last look is old and somebody asks. */
export const layer = Layer.effect(
  ScheduleClock,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
    let offset: number | undefined
    let lookedAt = Number.NEGATIVE_INFINITY
    let jumps = 0
    let last = Number.NEGATIVE_INFINITY

    const look = Effect.gen(function* () {
      const before = yield* monotonicNow
      const [row] = yield* unreachable(sql<{ at: number }>`select ${millisOf(sql, "clock_timestamp()")} as at`)
      if (row === undefined) return
      const after = yield* monotonicNow
      const found = row.at - (before + after) / 2
      const difference = offset === undefined ? 0 : found - offset
      lookedAt = after
      // The answer may have taken any part of the time.
      if (offset !== undefined && Math.abs(difference) <= (after - before) / 2 + precision) return
      offset = found
      if (Math.abs(difference) >= jump) {
        jumps += difference
        last = Number.NEGATIVE_INFINITY
      }
    })

    const current = Effect.gen(function* () {
      if ((yield* monotonicNow) - lookedAt < clockLook) return
      // While the database is away, time passes all the same.
      yield* offset === undefined ? retryWhileUnreachable(look) : Effect.ignore(look)
    }).pipe(oneAtATime)

    return ScheduleClock.of({
      now: Effect.gen(function* () {
        yield* current
        last = Math.max(last, (yield* monotonicNow) + (offset ?? 0))
        return { at: last, jumps }
      })
    })
  })
)
