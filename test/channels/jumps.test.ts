import { expect, it } from "@effect/vitest"
import { Clock, Cron, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { ChannelFolders, type ChannelJob } from "../../src/services/channels/ChannelFolders.ts"
import { JobKeeper } from "../../src/services/channels/JobKeeper.ts"
import { Attempts } from "../../src/services/runs/Attempt.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import * as ArchiveStoreMemory from "../memory/ArchiveStore.ts"
import * as JobStoreMemory from "../memory/JobStore.ts"
import * as PositionStoreMemory from "../memory/PositionStore.ts"
import { jumping } from "../memory/ScheduleClock.ts"
import { testSettings } from "../support/gateway.ts"
import { openLimits } from "../support/open.ts"
import { continuous, flowline, key, second, started } from "./keeping.ts"

const hourMillis = 3600 * second

/** A keeper of a scheduled job whose runs succeed after `millis`, by the number of the run, from 1. */
const keeping = (millis: (run: number) => number, schedule: string, jumped: () => number) => {
  /** By a clock that nobody sets. */
  const starts: Array<number> = []
  const job: ChannelJob = { ...continuous, schedule: Cron.parseUnsafe(schedule, "UTC") }
  const attempts = Layer.mock(Attempts)({
    begin: ({ tenant, epoch, scope }) => ({
      nodes: () => undefined,
      outcome: () => undefined,
      prepare: (flowline, run) => Effect.succeed(Result.succeed({ tenant, epoch, scope, flowline, ...run })),
      run: () =>
        Effect.gen(function* () {
          starts.push(yield* Clock.currentTimeMillis)
          yield* Effect.sleep(millis(starts.length))
          return { _tag: "Succeeded", archive: undefined }
        }),
      print: () => Effect.void,
      guarded: (work, otherwise) => Effect.catchTag(work, "StorageUnreachable", ({ storage }) => otherwise(storage)),
      hold: (work) => Effect.ignore(work)
    })
  })
  const found = { flowline, dag: "{}", value: {}, warnings: [], file: job.file }
  const layer = JobKeeper.layer.pipe(
    Layer.provideMerge(
      JobStoreMemory.layer.pipe(Layer.provideMerge(Layer.mergeAll(PositionStoreMemory.layer, ArchiveStoreMemory.layer)))
    ),
    Layer.provide(openLimits),
    Layer.provide([
      attempts,
      jumping(jumped),
      Layer.mock(Engine)({}),
      Layer.succeed(Gateway, { id: "g", name: "h:1", address: "h:1" }),
      testSettings({ data: "none", databaseUrl: "postgres://unused" }),
      Layer.mock(ChannelFolders)({
        structure: () => Effect.succeed({ name: key.channel, file: "structure.yaml", issues: [], jobs: [job] }),
        flowline: () => Effect.succeed(Result.succeed(found))
      })
    ])
  )
  return { starts, layer }
}

it.effect("an hour forth and back of the clock changes nothing for a schedule of minutes, at whatever moment", () => {
  let jumped = 0
  // Some runs are under way when the clock jumps.
  const { starts, layer } = keeping(
    (run) => (run % 3) * 20 * second,
    "0 * * * * *",
    () => jumped
  )
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    for (const jump of [0, 1, 0, -1, 0, 1, 2, 0]) {
      yield* TestClock.adjust(97 * second)
      jumped = jump * hourMillis + jump * 7
    }
    yield* TestClock.adjust(60 * second)
    const minutes = starts.map((at) => Math.round(at / second / 60))
    expect(minutes).toEqual(Array.from(minutes, (_, index) => index + 1))
    expect(minutes.length).toBe(Math.floor((8 * 97 + 60) / 60))
    expect((yield* state).nextRun).toBe(new Date(starts.length * 60 * second + 60 * second).toISOString())
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("a time of the day is run once, when the clock jumps over it and when it comes again", () => {
  let jumped = 0
  const { starts, layer } = keeping(
    () => second,
    "0 30 2 * * *",
    () => jumped
  )
  const pass = (hours: number) => TestClock.adjust(hours * hourMillis)
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    yield* pass(2)
    // From 2:00 to 3:00: made up for within seconds.
    jumped = hourMillis
    yield* TestClock.adjust(10 * second)
    expect(starts.length).toBe(1)
    // Back from 3:15 to 2:15.
    yield* pass(0.25)
    jumped = 0
    yield* pass(0.5)
    expect(starts.length).toBe(1)
    expect((yield* state).nextRun).toBe(new Date(26.5 * hourMillis).toISOString())
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("who takes a job over does not wait for a time of a clock that was set back", () => {
  let jumped = hourMillis
  const { starts, layer } = keeping(
    () => second,
    "0 * * * * *",
    () => jumped
  )
  return Effect.gen(function* () {
    const { fiber, keeper, desiredJob, state } = yield* started
    expect((yield* state).nextRun).toBe(new Date(hourMillis + 60 * second).toISOString())
    yield* Fiber.interrupt(fiber)
    jumped = 0
    const next = yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* TestClock.adjust(120 * second)
    expect(starts.map((at) => at / second)).toEqual([60, 120])
    yield* Fiber.interrupt(next)
  }).pipe(Effect.provide(layer))
})
