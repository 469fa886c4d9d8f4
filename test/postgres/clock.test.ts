import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import * as PostgresClock from "../../src/layers/postgres/PostgresClock.ts"
import { clockLook } from "../../src/protocol/Liveness.ts"
import { ScheduleClock } from "../../src/services/runs/ScheduleClock.ts"
import { freshDatabase } from "../support/postgres.ts"

const hour = 3_600_000

/** A database whose clock the tests set. */
const standing = Effect.gen(function* () {
  const url = yield* freshDatabase
  const sql = yield* PgClient.makeClient({ url })
  yield* sql`create schema faked`
  yield* sql`create table faked.clock as select to_timestamp(0) as at`
  yield* sql`create function faked.clock_timestamp() returns timestamptz language sql as 'select at from faked.clock'`
  const [database] = yield* sql<{ name: string }>`select current_database() as name`
  yield* sql`alter database ${sql(database!.name)} set search_path = faked, pg_catalog, public`
  const set = (millis: number) => sql`update faked.clock set at = to_timestamp(${millis}::float8 / 1000)`
  const clock = PostgresClock.layer.pipe(Layer.provide(layerFromUrl(url)))
  return { set, now: Effect.map(ScheduleClock, ({ now }) => now), clock }
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
