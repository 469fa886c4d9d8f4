import { fork } from "node:child_process"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { processStat } from "../../src/drivers/ProcessStat.ts"
import { Helper, type Start } from "../../src/layers/decoder/Helper.ts"
import { lacksRoom } from "../../src/layers/engine/Lack.ts"

const limits = { processor: 10_000, wall: 60_000 }

/** A helper that answers `ready` on request, and has used the given processor time. */
const fake = () => {
  const state = { used: 4000, stopped: 0, answer: (_: string) => {} }
  const start: Start<string, string> = ({ answer }) => {
    state.answer = answer
    return { send: () => {}, stop: () => state.stopped++, processor: Effect.sync(() => state.used) }
  }
  return { state, helper: new Helper(start, limits) }
}

it.effect("a file is not refused while others have the processor", () =>
  Effect.gen(function* () {
    const { state, helper } = fake()
    // What earlier files have used does not count.
    yield* Effect.forkChild(helper.ask("first"))
    yield* TestClock.adjust("1 second")
    state.answer("done")
    state.used = 500_000
    yield* helper.begin()
    const asked = yield* Effect.forkChild(helper.ask("file"))
    for (let seconds = 0; seconds < 55; seconds++) yield* TestClock.adjust("1 second")
    state.used += 9000
    yield* TestClock.adjust("1 second")
    state.answer("done")
    expect(yield* Fiber.join(asked)).toBe("done")
    expect(state.stopped).toBe(0)
  })
)

it.effect("a file is refused when it has had the processor for too long, in all that it asked", () =>
  Effect.gen(function* () {
    const { state, helper } = fake()
    yield* helper.begin()
    const first = yield* Effect.forkChild(helper.ask("parse"))
    state.used = 6000
    yield* TestClock.adjust("1 second")
    state.answer("parsed")
    expect(yield* Fiber.join(first)).toBe("parsed")
    const second = yield* Effect.forkChild(helper.ask("validate"))
    state.used = 10_500
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(second)).toBeUndefined()
    expect(state.stopped).toBe(1)
  })
)

it.effect("a file is not judged while no thread or process can be started", () =>
  Effect.gen(function* () {
    let isFull = true
    const start: Start<string, string> = ({ answer, lost }) => {
      if (isFull) {
        // A process that could not be started says so later.
        process.nextTick(lost)
        throw new Error("EAGAIN")
      }
      return { send: (task) => answer(`${task} done`), stop: () => {}, processor: Effect.succeed(0) }
    }
    const helper = new Helper(start, limits)
    yield* helper.begin()
    expect((yield* Effect.flip(helper.ask("file")))._tag).toBe("Overloaded")
    isFull = false
    yield* helper.begin()
    const asked = yield* Effect.forkChild(helper.ask("file"))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(asked)).toBe("file done")
  })
)

it.effect("a file is not judged by a process that may start no threads", () =>
  Effect.gen(function* () {
    let why: "lacking" | undefined = "lacking"
    const start: Start<string, string> = ({ lost }) => ({
      send: () => lost(why),
      stop: () => {},
      processor: Effect.succeed(0)
    })
    const helper = new Helper(start, limits)
    yield* helper.begin()
    const asked = yield* Effect.forkChild(Effect.flip(helper.ask("file")))
    yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(asked))?._tag).toBe("Overloaded")
    why = undefined
    yield* helper.begin()
    const died = yield* Effect.forkChild(helper.ask("file"))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(died)).toBeUndefined()
    expect(
      lacksRoom("terminate called after throwing 'std::system_error'\n  what():  Resource temporarily unavailable")
    ).toBe(true)
    expect(lacksRoom("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory")).toBe(false)
  })
)

it.effect("a file that never gets the processor is given up, and not judged", () =>
  Effect.gen(function* () {
    const { state, helper } = fake()
    yield* helper.begin()
    const asked = yield* Effect.forkChild(Effect.flip(helper.ask("file")))
    for (let seconds = 0; seconds < 61; seconds++) yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(asked))._tag).toBe("Overloaded")
    expect(state.stopped).toBe(1)
  })
)

layer(Layer.empty, { excludeTestServices: true })("a process that never ends", (it) => {
  it.effect("is stopped by the processor time that Linux tells of it", () =>
    Effect.gen(function* () {
      const child = fork("-", { execArgv: ["--eval", "for (;;);"], stdio: "ignore" })
      const ended = new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)))
      const start: Start<string, string> = () => ({
        send: () => {},
        stop: () => child.kill("SIGKILL"),
        processor: Effect.sync(() => processStat(child.pid ?? 0)?.processorMillis)
      })
      const helper = new Helper(start, { processor: 300, wall: 600_000 })
      expect(yield* helper.ask("file")).toBeUndefined()
      expect(yield* Effect.promise(() => ended)).toBe("SIGKILL")
    })
  )
})
