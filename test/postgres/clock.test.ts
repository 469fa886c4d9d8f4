import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import * as PostgresClock from "../../src/layers/postgres/PostgresClock.ts"
import { clockLook } from "../../src/protocol/Liveness.ts"
import { ScheduleClock } from "../../src/services/runs/ScheduleClock.ts"
import { settableClock } from "./settableClock.ts"

const hour = 3_600_000

/** A database whose clock the tests set, and the clock of schedules on it. */
const standing = Effect.gen(function* () {
  const { url, set } = yield* settableClock
  return { set, clock: PostgresClock.layer.pipe(Layer.provide(layerFromUrl(url))) }
}).pipe(Effect.provide(Reactivity.layer))

it.effect("the time of schedules is the database's, goes on evenly, and tells the jumps of that clock", () =>
  Effect.gen(function* () {
    const { set, clock } = yield* standing
    const start = 1_700_000_000_000
    yield* set(start)
    yield* Effect.gen(function* () {
      const { now } = yield* ScheduleClock
      /** The time since the start and the jumps, rounded: the database rounds to microseconds. */
      const seen = Effect.map(now, ({ at, jumps }) => [Math.round(at - start), Math.round(jumps)])
      expect(yield* seen).toEqual([0, 0])
      // Between two looks the clock of this process counts.
      yield* TestClock.adjust(clockLook - 100)
      expect(yield* seen).toEqual([clockLook - 100, 0])
      // What differs little is corrected, and never back.
      yield* TestClock.adjust(100)
      yield* set(start + clockLook - 500)
      expect(yield* seen).toEqual([clockLook - 100, 0])
      yield* TestClock.adjust(1000)
      expect(yield* seen).toEqual([clockLook + 500, 0])
      for (const jumps of [hour, 0, -hour]) {
        yield* TestClock.adjust(clockLook)
        const [before = 0, already = 0] = yield* seen
        yield* TestClock.adjust(clockLook)
        yield* set(start + before + clockLook + jumps - already)
        expect(yield* seen).toEqual([before + clockLook + jumps - already, jumps])
      }
    }).pipe(Effect.provide(clock))
  }).pipe(Effect.scoped)
)

it.effect("the time of schedules goes on when the clock of the machine, and with it that of its database, is set", () =>
  Effect.gen(function* () {
    const { set, clock } = yield* standing
    const start = 1_700_000_000_000
    yield* set(start)
    yield* TestClock.setTime(start)
    yield* Effect.gen(function* () {
      const { now } = yield* ScheduleClock
      const seen = Effect.map(now, ({ at, jumps }) => [Math.round(at - start), Math.round(jumps)])
      expect(yield* seen).toEqual([0, 0])
      // The clock of this machine alone moves nothing, as the database has not been looked at again.
      yield* TestClock.setTime(start - hour)
      expect(yield* seen).toEqual([0, 0])
      yield* TestClock.adjust(clockLook)
      yield* set(start - hour + clockLook)
      expect(yield* seen).toEqual([clockLook - hour, -hour])
      yield* TestClock.adjust(1000)
      expect(yield* seen).toEqual([clockLook + 1000 - hour, -hour])
    }).pipe(Effect.provide(clock))
  }).pipe(Effect.scoped)
)
