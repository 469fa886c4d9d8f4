import { Clock, Effect, Layer } from "effect"
import { ScheduleClock } from "../../src/services/runs/ScheduleClock.ts"

/** The clock of the tests. `jumped` is the time that a test has added. */
export const jumping = (jumped: () => number) =>
  Layer.succeed(ScheduleClock, {
    now: Effect.map(Clock.currentTimeMillis, (at) => ({ at: at + jumped(), jumps: jumped() }))
  })

export const layer = jumping(() => 0)
