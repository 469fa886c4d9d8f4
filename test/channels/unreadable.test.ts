import { expect, it } from "@effect/vitest"
import { Cron, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import type { ChannelFolders } from "../../src/services/channels/ChannelFolders.ts"
import { flowline, keeping, key, second, started } from "./keeping.ts"

type Folders = Partial<ChannelFolders["Service"]>

const away = Effect.fail(new StorageUnreachable({ storage: "data" }))
const file = "channels/c/channel_structure.yaml"
const restart = { initial: 1000, max: 8000, perHour: 0 }
const job = { name: key.job, cluster: key.cluster, runtime: "analytics", flowline: undefined, restart } as const
const found = Effect.succeed(Result.succeed({ flowline, dag: "{}", value: {}, warnings: [], file }))
const faulty = (detail: string) => Effect.succeed(Result.fail({ file: "channels/c/j.yaml", issues: [{ detail }] }))
const structured = (jobs: ReadonlyArray<typeof job>, ...issues: ReadonlyArray<{ readonly detail: string }>) =>
  Effect.succeed({ name: key.channel, file, issues, jobs: jobs.map((one) => ({ ...one, schedule: undefined })) })

/** Obstacles to starting a run, and the reason in the state. */
const troubles: ReadonlyArray<readonly [what: string, folders: Folders, reason: string]> = [
  ["configuration is unreachable", { structure: () => away }, "the configuration cannot be read"],
  ["structure is away", { structure: () => structured([], { detail: "not there" }) }, `${file}: not there`],
  ["channel has lost the job", { structure: () => structured([]) }, `${file}: the job local/j no longer exists`],
  ["flowline is unreachable", { flowline: () => away }, "the configuration cannot be read"],
  ["flowline is away", { flowline: () => faulty("There is no such file") }, "channels/c/j.yaml: There is no such file"],
  ["flowline is faulty", { flowline: () => faulty("what is this?") }, "channels/c/j.yaml: what is this?"]
]

for (const [what, folders, reason] of troubles) {
  it.effect(`a job whose ${what} is looked for again, says why, and has failed in nothing when it is back`, () => {
    let isAway = true
    const { starts, layer } = keeping(() => ({ millis: 3600 * second }), { restart }, 0, undefined, {
      structure: (...of) => (isAway && folders.structure !== undefined ? folders.structure(...of) : structured([job])),
      flowline: (...of) => (isAway && folders.flowline !== undefined ? folders.flowline(...of) : found)
    })
    return Effect.gen(function* () {
      const { fiber, state } = yield* started
      yield* TestClock.adjust(3600 * second)
      const counted = { restarts: 0, failures: "[]" }
      expect(yield* state).toMatchObject({ status: "RESTARTING", lastError: reason, ...counted })
      expect(starts).toEqual([])
      isAway = false
      yield* TestClock.adjust(60 * second)
      expect(yield* state).toMatchObject({ status: "ACTIVE", nextRun: null, ...counted })
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(layer))
  })
}

it.effect("a job without pauses between its runs is looked for once in a second while it cannot run", () => {
  let looks = 0
  const { layer } = keeping(
    () => ({ millis: 3600 * second }),
    { restart: { initial: 0, max: 0, perHour: 0 } },
    0,
    undefined,
    // What is found in the end would end an endless loop.
    { flowline: () => (++looks > 1000 ? found : away) }
  )
  return Effect.gen(function* () {
    const { fiber } = yield* started
    yield* TestClock.adjust(30 * second)
    expect(looks).toBeGreaterThan(20)
    expect(looks).toBeLessThan(40)
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("a configuration that is away while a run fails adds nothing to the failures of runs", () => {
  let isAway = false
  const { starts, layer } = keeping(
    () => ({ millis: 20 * second, error: "boom" }),
    { restart: { ...restart, perHour: 1 } },
    0,
    undefined,
    { flowline: () => (isAway ? away : found) }
  )
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    yield* TestClock.adjust(10 * second)
    isAway = true
    yield* TestClock.adjust(600 * second)
    expect(yield* state).toMatchObject({ status: "RESTARTING", restarts: 1 })
    expect(JSON.parse((yield* state).failures)).toEqual([{ at: 20 * second, error: "boom" }])
    isAway = false
    yield* TestClock.adjust(10 * second)
    expect(yield* state).toMatchObject({ status: "ACTIVE", restarts: 1 })
    yield* TestClock.adjust(30 * second)
    expect(yield* state).toMatchObject({ status: "FAILED", lastError: "boom" })
    expect(starts.length).toBe(2)
    yield* Fiber.join(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("a schedule keeps its times while the configuration is away, also over a change of gateways", () => {
  let isAway = false
  const { starts, layer } = keeping(
    () => ({ millis: second }),
    { schedule: Cron.parseUnsafe("0 * * * * *", "UTC") },
    0,
    undefined,
    { flowline: () => (isAway ? away : found) }
  )
  return Effect.gen(function* () {
    const { fiber, keeper, desiredJob, state } = yield* started
    yield* TestClock.adjust(70 * second)
    isAway = true
    yield* TestClock.adjust(60 * second)
    const due = new Date(120 * second).toISOString()
    expect(yield* state).toMatchObject({ status: "RESTARTING", restarts: 0, nextRun: due })
    yield* Fiber.interrupt(fiber)
    const next = yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* TestClock.adjust(20 * second)
    expect(yield* state).toMatchObject({ status: "RESTARTING", nextRun: due })
    isAway = false
    yield* TestClock.adjust(100 * second)
    expect(starts[0]).toBe(60 * second)
    // One run for all missed times, then those of the schedule.
    expect(starts[1]! - 150 * second).toBeLessThanOrEqual(8 * second)
    expect(starts.slice(2).map((at) => at / second)).toEqual([180, 240])
    yield* Fiber.interrupt(next)
  }).pipe(Effect.provide(layer))
})

it.effect("a schedule whose structure was away between two times runs at the second one", () => {
  let isAway = false
  const schedule = Cron.parseUnsafe("0 * * * * *", "UTC")
  const { starts, layer } = keeping(() => ({ millis: second }), {}, 0, undefined, {
    structure: () =>
      isAway ? away : Effect.map(structured([job]), (found) => ({ ...found, jobs: [{ ...job, schedule }] }))
  })
  return Effect.gen(function* () {
    const { fiber, keeper, desiredJob } = yield* started
    yield* TestClock.adjust(60 * second)
    isAway = true
    yield* TestClock.adjust(2 * second)
    yield* Fiber.interrupt(fiber)
    const next = yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* TestClock.adjust(10 * second)
    isAway = false
    yield* TestClock.adjust(60 * second)
    expect(starts.map((at) => at / second)).toEqual([60, 120])
    yield* Fiber.interrupt(next)
  }).pipe(Effect.provide(layer))
})
