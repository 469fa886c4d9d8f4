import { expect, it } from "@effect/vitest"
import { Clock, Cron, Duration, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { ClusterName, jobKey } from "../../src/services/channels/Job.ts"
import { JobKeeper } from "../../src/services/channels/JobKeeper.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { keeping, key, second, started } from "./keeping.ts"

it.effect("a job that fails is run again after ever longer pauses, until its budget is spent", () => {
  const { starts, layer } = keeping((run) => ({ millis: 100, error: `boom ${run}` }))
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    yield* TestClock.adjust(150)
    const first = { at: 100, error: "boom 1" }
    expect(yield* state).toMatchObject({
      ...{ status: "RESTARTING", restarts: 1, lastError: "boom 1" },
      ...{ failures: JSON.stringify([first]), nextRun: new Date(1100).toISOString() }
    })
    yield* TestClock.adjust(1000)
    expect(yield* state).toMatchObject({ status: "ACTIVE", nextRun: null, failures: JSON.stringify([first]) })
    yield* TestClock.adjust(60 * second)
    // 1, 2, 4, 8 and again 8 seconds after the end of the run before.
    expect(starts.map((at, index) => at - (starts[index - 1] ?? 0))).toEqual([0, 1100, 2100, 4100, 8100, 8100])
    expect(yield* state).toMatchObject({ status: "FAILED", restarts: 5, lastError: "boom 6" })
    yield* Fiber.join(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("failures count for an hour, and a run that lasted begins with the shortest pause again", () => {
  const { starts, layer } = keeping(() => ({ millis: 20 * 60 * second, error: "boom" }))
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    yield* TestClock.adjust(24 * 3600 * second)
    expect(starts.length).toBeGreaterThan(70)
    expect(starts[20]! - starts[19]!).toBe(20 * 60 * second + second)
    expect((yield* state).status).toBe("ACTIVE")
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("a bounded job is finished, and is not run again", () => {
  const { starts, layer } = keeping(() => ({ millis: 10 }))
  return Effect.gen(function* () {
    const { fiber, state, keeper, desiredJob } = yield* started
    yield* TestClock.adjust(10 * second)
    yield* Fiber.join(fiber)
    expect(yield* state).toMatchObject({ status: "FINISHED", desired: true, lastError: null })
    // The message may come again after a takeover.
    yield* keeper.keep(desiredJob)
    expect(starts.length).toBe(1)
  }).pipe(Effect.provide(layer))
})

const everyMinute = { schedule: Cron.parseUnsafe("0 * * * * *", "UTC") }

it.effect("a schedule runs at its times; what was missed during a run is made up for once", () => {
  const { starts, layer } = keeping((run) => ({ millis: run === 2 ? 200 * second : second }), everyMinute)
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    expect(yield* state).toMatchObject({ status: "ACTIVE", nextRun: new Date(60_000).toISOString() })
    yield* TestClock.adjust(400 * second)
    // The run at 120 lasts until 320. Then one run covers 180, 240 and 300, and the next is at 360.
    expect(starts.map((at) => at / second)).toEqual([60, 120, 320, 360])
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("attempts repeat the same work, on another gateway too, until one succeeds", () => {
  const { works, layer } = keeping((run) => ({ millis: second, ...(run < 3 ? { error: "boom" } : {}) }), everyMinute)
  return Effect.gen(function* () {
    const { fiber, keeper, desiredJob } = yield* started
    yield* TestClock.adjust(61 * second)
    yield* Fiber.interrupt(fiber)
    const again = yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* TestClock.adjust(130 * second)
    yield* Fiber.interrupt(again)
    const [first, second_, third, fourth] = works
    expect([second_, third]).toEqual([first, first])
    expect(fourth).not.toBe(first)
  }).pipe(Effect.provide(layer))
})

it.effect("a time is not due twice when the timer is early", () => {
  const { starts, layer } = keeping(() => ({ millis: 2 }), everyMinute)
  return Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const early: Clock.Clock = Object.assign(Object.create(clock), {
      sleep: (duration: Duration.Duration) => clock.sleep(Duration.millis(Duration.toMillis(duration) - 1))
    })
    const { fiber } = yield* Effect.provideService(started, Clock.Clock, early)
    yield* TestClock.adjust(200 * second)
    expect(starts.map((at) => Math.round(at / second))).toEqual([60, 120, 180])
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("a schedule that was due while nobody kept the job runs once, then in time", () => {
  const { starts, layer } = keeping(() => ({ millis: second }), everyMinute)
  return Effect.gen(function* () {
    const { fiber, keeper, desiredJob, state } = yield* started
    yield* TestClock.adjust(65 * second)
    yield* Fiber.interrupt(fiber)
    expect((yield* state).status).toBe("STARTING")
    yield* TestClock.adjust(300 * second)
    const next = yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* TestClock.adjust(60 * second)
    expect(starts.map((at) => at / second)).toEqual([60, 365, 420])
    yield* Fiber.interrupt(next)
  }).pipe(Effect.provide(layer))
})

it.effect("a run that dies with its gateway is run again, and its end counts once", () => {
  const { starts, layer } = keeping(() => ({ millis: 30 * second }), everyMinute)
  return Effect.gen(function* () {
    const { fiber, keeper, desiredJob, state } = yield* started
    yield* TestClock.adjust(70 * second)
    yield* Fiber.interrupt(fiber)
    const next = yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* TestClock.adjust(31 * second)
    expect(starts.map((at) => at / second)).toEqual([60, 70])
    expect(yield* state).toMatchObject({ status: "ACTIVE", restarts: 0, nextRun: new Date(120_000).toISOString() })
    yield* Fiber.interrupt(next)
  }).pipe(Effect.provide(layer))
})

it.effect("a stop counts before the run has heard of it, and the older claim says nothing any more", () => {
  const { layer } = keeping(() => ({ millis: 3600 * second }))
  return Effect.gen(function* () {
    const { fiber, store, keeper, state } = yield* started
    yield* TestClock.adjust(second)
    expect((yield* state).status).toBe("ACTIVE")
    const [stop] = yield* store.requestChange("stop", [key])
    // Nobody notifies the keeper: it learns of it at its next heartbeat.
    yield* TestClock.adjust(3 * second)
    yield* Fiber.join(fiber)
    yield* keeper.keep(stop!)
    expect(yield* state).toMatchObject({ status: "STOPPED", desired: false, node: null })
  }).pipe(Effect.provide(layer))
})

it.effect("a run that ended as its gateway was silent is followed by another one, and counts as no failure", () => {
  const silent = { millis: 100, error: "silent", abandoned: true }
  const { starts, layer } = keeping((run) => (run <= 10 ? silent : { millis: 3600 * second }))
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    yield* TestClock.adjust(60 * second)
    expect(starts.length).toBe(11)
    expect(yield* state).toMatchObject({ status: "ACTIVE", restarts: 0, lastError: null })
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer))
})

it.effect("what nobody has thought of is a failure of the run, and not a start that never ends", () => {
  const { layer } = keeping(() => {
    throw new Error("a secret of the inside")
  })
  return Effect.gen(function* () {
    const { fiber, state } = yield* started
    expect(yield* state).toMatchObject({ status: "RESTARTING", lastError: "the gateway could not follow the run" })
    yield* TestClock.adjust(60 * second)
    expect(yield* state).toMatchObject({ status: "FAILED", restarts: 5 })
    yield* Fiber.join(fiber)
  }).pipe(Effect.provide(layer), Effect.provide(Logger.layer([])))
})

it.effect("runs of two jobs have two names, though they begin together and their names look the same", () => {
  const { ids, layer } = keeping(() => ({ millis: 0 }))
  return Effect.gen(function* () {
    const store = yield* JobStore
    const keeper = yield* JobKeeper
    const long = jobKey(`t/${"c".repeat(63)}/local/j`)
    const jobs = [jobKey("t/a-c/local/j"), jobKey("t/a/c-local/j"), long]
    const desiredJob = yield* store.requestChange("start", jobs)
    for (const job of desiredJob) yield* keeper.keep(job)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,130}$/)
  }).pipe(Effect.provide(layer))
})

it.effect("a job that is taken over waits for the run of the claim before to be gone", () => {
  const { starts, left, layer } = keeping(() => ({ millis: 60 * second }), {}, 3 * second)
  return Effect.gen(function* () {
    const { keeper, desiredJob, fiber, state } = yield* started
    expect([starts, left]).toEqual([[0], []])
    // Another gateway starts, as after the death of the first one, whose run may still exist.
    yield* Effect.forkChild(keeper.keep(desiredJob))
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust(2 * second)
    expect([starts, left, (yield* state).status]).toEqual([[0], ["h:1"], "STARTING"])
    yield* TestClock.adjust(2 * second)
    expect([starts.length, (yield* state).status]).toEqual([2, "ACTIVE"])
  }).pipe(Effect.provide(layer))
})

it.effect("a job waits for a place, and runs when another one has ended", () => {
  const { starts, layer } = keeping(() => ({ millis: 1e12 }))
  return Effect.gen(function* () {
    const { store, keeper, fiber } = yield* started
    const [other] = yield* store.requestChange("start", [{ ...key, cluster: ClusterName("c-local") }])
    const waiting = yield* Effect.forkChild(keeper.keep(other!))
    yield* TestClock.adjust(100 * second)
    expect(starts).toEqual([0])
    const states = yield* store.list(TenantId("t"))
    expect(states.map(({ status }) => status).sort()).toEqual(["ACTIVE", "STARTING"])
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust(second)
    expect(starts).toEqual([0, 100 * second])
    yield* Fiber.interrupt(waiting)
  }).pipe(Effect.provide(layer))
})
