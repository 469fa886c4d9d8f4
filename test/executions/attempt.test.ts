import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import type { Flowline } from "../../src/protocol/Flowline.ts"
import { jobHeartbeat, lastWrite, lastWriteRetry } from "../../src/protocol/Liveness.ts"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Attempts, type ClaimedRow } from "../../src/services/runs/Attempt.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { PositionScope } from "../../src/services/runs/PositionStore.ts"
import { Provision } from "../../src/services/runs/Provision.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

const flowline: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [{ type: "show", settings: {}, subscribe: [], publish: [] }]
}
const away = new StorageUnreachable({ storage: "metadata" })

const messages: ReadonlyArray<RunMessage> = [
  { _tag: "Started", jobId: "h:1", pid: 1, at: 0 },
  { _tag: "Output", lines: ["a", "b"].map((text) => ({ component: "show", text, at: 0 })) },
  { _tag: "Positions", positions: { input: 7 }, files: {} },
  { _tag: "Archived", sha256: "s", size: 1, entries: 1 },
  { _tag: "Ended", outcome: "failed", component: "show", error: "boom", at: 0 }
]

/** An attempt whose engine sends `messages`, with its writes. `answer` is the result of a write, by its name. */
const attempting = (answer: (write: string) => Effect.Effect<boolean, StorageUnreachable>) => {
  const written: Array<string> = []
  const write = (name: string, said: string = name) =>
    Effect.tap(
      Effect.suspend(() => answer(name)),
      (reached) => Effect.sync(() => void (reached && written.push(said)))
    )
  const row: ClaimedRow = {
    name: "execution t/e",
    tenant: TenantId("t"),
    epoch: 3,
    scope: PositionScope("e"),
    flowlineId: "f",
    lines: 40,
    confirmEvery: jobHeartbeat,
    confirm: () => write("confirm"),
    started: (jobId) => write("started", `started ${jobId}`),
    output: (lines) => write("output", lines.map(({ seq, text }) => `${seq} ${text}`).join(", ")),
    truncated: write("truncated"),
    counters: () => write("counters"),
    progress: ({ positions }) => write("progress", `input at ${positions["input"]}`),
    claimFiles: () => Effect.succeed([]),
    changed: Effect.void
  }
  const layer = Attempts.layer.pipe(
    Layer.provide([
      Layer.mock(Engine)({ run: () => Stream.fromIterable(messages) }),
      Layer.succeed(Provision, { of: () => Effect.succeed(Result.succeed({})) })
    ])
  )
  const attempt = Effect.map(Attempts, (attempts) => attempts.begin(row))
  return { written, attempt, layer }
}

const order = { tenant: "t", executionId: "e", epoch: 3, flowline }
const all = ["started h:1", "41 a, 42 b", "input at 7"]

it.effect("an attempt writes down what a run says, with its lines numbered on, and tells how it ended", () => {
  const { written, attempt, layer } = attempting(() => Effect.succeed(true))
  return Effect.gen(function* () {
    const { run } = yield* attempt
    expect(yield* run(order)).toEqual({ _tag: "Failed", error: "show: boom" })
    expect(written).toEqual(all)
  }).pipe(Effect.provide(layer))
})

it.effect("an attempt that is over writes nothing more", () => {
  const { written, attempt, layer } = attempting((write) => Effect.succeed(write !== "progress"))
  return Effect.gen(function* () {
    const { run } = yield* attempt
    expect((yield* Effect.flip(run(order)))._tag).toBe("Superseded")
    expect(written).toEqual(all.slice(0, 2))
  }).pipe(Effect.provide(layer))
})

it.effect("writes of a run wait for a database that is away", () => {
  let isAway = true
  const { written, attempt, layer } = attempting(() => (isAway ? Effect.fail(away) : Effect.succeed(true)))
  return Effect.gen(function* () {
    const { run } = yield* attempt
    const running = yield* Effect.forkChild(run(order))
    yield* TestClock.adjust("1 hour")
    expect(written).toEqual([])
    isAway = false
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(running)
    expect(written).toEqual(all)
  }).pipe(Effect.provide(layer))
})

it.effect("work ends when the claim is lost, and goes on when the database cannot say", () => {
  let answer: Effect.Effect<boolean, StorageUnreachable> = Effect.fail(away)
  const { attempt, layer } = attempting(() => answer)
  return Effect.gen(function* () {
    const { hold } = yield* attempt
    const held = yield* Effect.forkChild(hold(Effect.never, () => Effect.die("not interrupted")))
    yield* TestClock.adjust("1 hour")
    expect(held.pollUnsafe()).toBeUndefined()
    answer = Effect.succeed(false)
    yield* TestClock.adjust(jobHeartbeat)
    yield* Fiber.join(held)
  }).pipe(Effect.provide(layer))
})

it.effect("the last write of interrupted work is tried for a while, and then left to who comes next", () => {
  const { attempt, layer } = attempting(() => Effect.succeed(true))
  return Effect.gen(function* () {
    const { hold } = yield* attempt
    /** How often the last write is tried if so many tries fail. */
    const triesOf = Effect.fnUntraced(function* (fails: number) {
      let tries = 0
      const last = () => Effect.suspend(() => (++tries <= fails ? Effect.fail(away) : Effect.void))
      const held = yield* Effect.forkChild(hold(Effect.never, last), { startImmediately: true })
      const end = yield* Effect.forkChild(Fiber.interrupt(held), { startImmediately: true })
      yield* TestClock.adjust(lastWrite)
      yield* Fiber.join(end)
      return tries
    })
    expect(yield* triesOf(2)).toBe(3)
    expect(yield* triesOf(Number.POSITIVE_INFINITY)).toBe(lastWrite / lastWriteRetry)
  }).pipe(Effect.provide(layer))
})

it.effect("what cannot be followed has an error for the user, and no secret of the inside", () => {
  const { attempt, layer } = attempting(() => Effect.succeed(true))
  return Effect.gen(function* () {
    const { guarded } = yield* attempt
    const told = (error: string) => Effect.succeed(error)
    expect(yield* guarded(Effect.fail(away), told)).toBe("the metadata storage cannot be reached")
    expect(yield* guarded(Effect.die("a secret"), told)).toBe("the gateway could not follow the run")
  }).pipe(Effect.provide(layer), Effect.provide(Logger.layer([])))
})
