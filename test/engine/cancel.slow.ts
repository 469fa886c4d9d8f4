import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { eventually } from "../support/process.ts"
import {
  act,
  childrenOf,
  engine,
  filesIn,
  follow,
  group,
  isAlive,
  places,
  printed,
  settings,
  ticks
} from "./support.ts"

/** Waits until the process has used 200 ms of a processor, and so is in its loop. */
const busy = (pid: number) => {
  const before = ticks(pid)
  return eventually("the process works", () => ticks(pid) > before + 20)
}

/** Starts the act, waits for its output, interrupts it; returns the pid and the line. */
const cancelled = (type: string, given: Parameters<typeof act>[1] = {}, loops = false) =>
  Effect.gen(function* () {
    const { run } = yield* Engine
    const line = yield* Deferred.make<string>()
    let pid = 0
    const see = (message: RunMessage) => {
      if (message._tag === "Started") pid = message.pid
      return message._tag === "Output" ? Deferred.succeed(line, message.lines[0]?.text ?? "") : Effect.void
    }
    const fiber = yield* Effect.forkChild(Stream.runForEach(run(act(type, given)), see))
    const text = yield* Deferred.await(line)
    if (loops) yield* Effect.promise(() => busy(pid))
    yield* Fiber.interrupt(fiber)
    return { pid, text }
  })

describe("cancelling a run", () => {
  it.live("ends a child that loops, and its stubborn children", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* Effect.gen(function* () {
        const loop = yield* cancelled("test_busy", {}, true)
        assert.deepStrictEqual(group(loop.pid), [])
      }).pipe(Effect.provide(engine(settings(root, { graceMillis: 100 }))))
      // It listens to the polite signal, so the grace, which is longer than this test may be, is not used up.
      yield* Effect.gen(function* () {
        const family = yield* cancelled("test_family")
        assert.deepStrictEqual(group(family.pid), [])
        assert.isFalse(isAlive(Number(family.text)))
      }).pipe(Effect.provide(engine(settings(root, { graceMillis: 600_000 }))))
    })
  )

  it.live("leaves no unfinished file, also when the child cannot clean up", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* cancelled("test_file", { chunks: 8, after: "busy" }, true).pipe(
        Effect.provide(engine(settings(root, { graceMillis: 100 })))
      )
      assert.deepStrictEqual(filesIn(join(root, "data")), [])
    })
  )

  it.live("also ends what a run leaves behind when it ends by itself", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const messages = yield* follow(act("test_leave_family")).pipe(Effect.provide(engine(settings(root))))
      assert.isFalse(isAlive(Number(printed(messages)[0])))
    })
  )

  it.live("happens when the reader stops reading", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const pid = yield* Effect.gen(function* () {
        const { run } = yield* Engine
        const first = yield* Stream.runCollect(Stream.take(run(act("test_family")), 1))
        return first[0]?._tag === "Started" ? first[0].pid : 0
      }).pipe(Effect.provide(engine(settings(root))))
      assert.isAbove(pid, 0)
      assert.deepStrictEqual(group(pid), [])
    })
  )
})

describe("a killed gateway", () => {
  it.live("takes its runs with it, busy ones and waiting ones, and the next one sweeps", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const types = ["test_busy", "test_family", "test_file"]
      const path = join(import.meta.dirname, "gateway.ts")
      const gateway = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [path, root, ...types], { stdio: ["ignore", "pipe", "inherit"] })),
        (it) => Effect.sync(() => it.kill("SIGKILL"))
      )
      const pids: Array<number> = []
      let shown = 0
      yield* Effect.promise(async () => {
        createInterface({ input: gateway.stdout }).on("line", (line) => {
          const message: RunMessage = JSON.parse(line)
          if (message._tag === "Started") pids.push(message.pid)
          if (message._tag === "Output") shown++
        })
        await eventually("all have begun", () => pids.length === types.length && shown === types.length)
        // Two of the three loop.
        const start = new Map(pids.map((pid) => [pid, ticks(pid)]))
        await eventually(
          "two are busy",
          () => pids.filter((pid) => ticks(pid) > (start.get(pid) ?? 0) + 20).length === 2
        )
        const warm = () => childrenOf(gateway.pid ?? 0).filter((pid) => !pids.includes(pid))
        await eventually("a runner waits", () => warm().length > 0)
        pids.push(...warm())
        assert.isAtLeast(filesIn(join(root, "data")).length, 1)
        gateway.kill("SIGKILL")
        await once(gateway, "exit")
        await eventually("all have ended", () => pids.every((pid) => group(pid).length === 0))
      })
      assert.isAtLeast(filesIn(join(root, "data")).length, 1)
      yield* Effect.promise(() =>
        eventually("the files are swept", () => filesIn(join(root, "data")).length === 0)
      ).pipe(Effect.provide(engine(settings(root))))
    })
  )
})
