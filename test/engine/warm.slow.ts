import { mkdirSync, readFileSync, readlinkSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { Runners } from "../../src/layers/engine/Runners.ts"
import type { RunIsolation } from "../../src/protocol/Isolation.ts"
import { type RunMessage, readyFor } from "../../src/protocol/RunProtocol.ts"
import { eventually } from "../support/process.ts"
import { act, childrenOf, ended, engine, follow, isAlive, places, printed, settings, ticks } from "./support.ts"

const started = (messages: ReadonlyArray<RunMessage>) => {
  const first = messages[0]
  if (first?._tag !== "Started") throw new Error("the run did not start")
  return first
}

const one = act("test_print", { lines: 1 })

/** The child that waits, once its modules are loaded: it is idle then. */
const waiting = async (runners: Runners) => {
  await eventually("a runner waits", () => runners.waiting[0] !== undefined)
  let used = 0
  let since = Date.now()
  await eventually("the runner is idle", () => {
    const now = ticks(runners.waiting[0] ?? 0)
    if (now !== used) since = Date.now()
    used = now
    return now > 0 && Date.now() - since > 300
  })
  return runners.waiting[0] ?? 0
}

/** Bytes that a waiting runner may hold. */
const limit = 120 * 1024 * 1024

/** Resident bytes of a process; NaN if it has ended. */
const resident = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}

const runners = (given: Parameters<typeof settings>[1] = {}) =>
  Effect.gen(function* () {
    const { root } = yield* places
    const all = settings(root, { warm: true, warmDelayMillis: 0, ...given })
    mkdirSync(all.tempRoot, { recursive: true })
    return yield* Effect.acquireRelease(
      Effect.sync(() => new Runners(all)),
      (it) => Effect.promise(() => it.close())
    )
  })

describe("the warm runner", () => {
  it.live("waits small and idle, is taken, and is replaced", () =>
    Effect.gen(function* () {
      const it = yield* runners()
      yield* Effect.promise(async () => {
        // The first one on a fresh folder compiles, which takes memory, and makes room for another: on a busy machine
        // it may look idle before it leaves.
        let pid = await waiting(it)
        for (let tries = 0; tries < 5 && !(resident(pid) < limit); tries++) pid = await waiting(it)
        assert.isBelow(resident(pid), limit)
        const { child, warm } = it.take(512, [])
        assert.deepStrictEqual([warm, child.pid], [true, pid])
        await eventually("another runner waits", () => it.waiting[0] !== undefined && it.waiting[0] !== pid)
        await child.stop(false)
        assert.isFalse(isAlive(pid))
      })
    })
  )

  it.live("waits once it is known how runs are kept apart, and is replaced when that changes", () =>
    Effect.gen(function* () {
      const plain = { parts: [], missing: [], launcher: [], hasDoor: false }
      const other = { ...plain, launcher: ["env"] }
      let isolation: RunIsolation = { ...plain, refusal: "unknown" }
      const it = yield* runners({ isolation: async () => isolation })
      yield* Effect.promise(async () => {
        await it.isolation()
        isolation = plain
        const pid = await waiting(it)
        isolation = other
        await it.isolation()
        await eventually("it ends", () => !isAlive(pid))
        await eventually("another waits", () => it.waiting[0] !== undefined && it.waiting[0] !== pid)
        isolation = { ...plain, refusal: "refused" }
        await it.isolation()
        assert.deepStrictEqual(it.waiting, [])
      })
    })
  )

  it.live(
    "loads the runtime analytics or the search client, and stays small, while one of the last four runs needed it",
    () =>
      Effect.gen(function* () {
        const it = yield* runners({ entry: program("run") })
        yield* Effect.promise(async () => {
          const loads = (pid: number) => readFileSync(`/proc/${pid}/maps`, "latin1").includes("libduckdb")
          // The first one on a fresh folder may leave, as above.
          let pid = await waiting(it)
          for (let tries = 0; tries < 5 && !(resident(pid) < limit); tries++) pid = await waiting(it)
          for (const [needs, isLoaded, hasSearch] of [
            [["analytics"], true, false],
            [[], true, false],
            [["search"], true, true],
            [[], true, true],
            [[], false, true],
            [["analytics"], true, true],
            [[], true, false]
          ] as const) {
            const { child } = it.take(512, needs)
            await child.stop(false)
            const next = await waiting(it)
            if (isLoaded) await eventually("it is ready for analytics", () => loads(next))
            assert.strictEqual(loads(next), isLoaded, needs.join())
            const command = readFileSync(`/proc/${next}/cmdline`, "latin1").split("\0")
            assert.strictEqual(command.includes(readyFor("search")), hasSearch, needs.join())
            // An open DuckDB takes 20 MiB.
            assert.isBelow(resident(await waiting(it)), isLoaded ? limit + 30 * 1024 * 1024 : limit)
          }
        })
      })
  )

  it.live("is replaced only when the run has ended, or has had its time", () =>
    Effect.gen(function* () {
      const it = yield* runners()
      yield* Effect.promise(async () => {
        await waiting(it)
        const began = performance.now()
        const long = it.take(512, []).child
        await eventually("another runner waits beside the run", () => it.waiting.length === 1)
        assert.isAbove(performance.now() - began, 400)
        await waiting(it)
        const short = it.take(512, []).child
        assert.deepStrictEqual(it.waiting, [])
        await short.stop(false)
        await eventually("another runner waits after the run", () => it.waiting.length === 1)
        await long.stop(false)
      })
    })
  )

  it.live("is replaced when a processor is idle, or the run has had them for seconds", () =>
    Effect.gen(function* () {
      let idle = 2
      let looks = 0
      const it = yield* runners({
        idle: () => {
          looks++
          return idle
        }
      })
      yield* Effect.promise(async () => {
        await waiting(it)
        idle = 0
        const first = it.take(512, []).child
        looks = 0
        await eventually("the processors have been looked at", () => looks >= 4)
        assert.deepStrictEqual(it.waiting, [])
        idle = 0.5
        await eventually("another runner waits as one is idle", () => it.waiting.length === 1)
        await waiting(it)
        idle = 0
        const second = it.take(512, []).child
        looks = 0
        await eventually("another runner waits although none is idle", () => it.waiting.length === 1)
        assert.isAbove(looks, 4)
        await Promise.all([first.stop(false), second.stop(false)])
      })
    })
  )

  it.live("has as many beside it as the gateway may have to take over, and no more", () =>
    Effect.gen(function* () {
      let wanted = 3
      const it = yield* runners({ spares: () => wanted })
      yield* Effect.promise(async () => {
        await eventually("three wait", () => it.waiting.length === 3)
        const taken = [it.take(512, []), it.take(512, []), it.take(512, [])]
        assert.deepStrictEqual(
          taken.map(({ warm }) => warm),
          [true, true, true]
        )
        assert.isFalse(it.take(512, []).warm)
        await eventually("three wait again", () => it.waiting.length === 3)
        const all = it.waiting
        wanted = 0
        await eventually("one is left", () => all.filter(isAlive).length === 1)
        assert.deepStrictEqual(it.waiting, all.filter(isAlive))
      })
    })
  )

  it.live("is replaced when it dies", () =>
    Effect.gen(function* () {
      const it = yield* runners()
      yield* Effect.promise(async () => {
        const pid = await waiting(it)
        process.kill(pid, "SIGKILL")
        await eventually("another runner waits", () => it.waiting[0] !== undefined && it.waiting[0] !== pid)
        assert.isTrue(isAlive(it.waiting[0] ?? 0))
      })
    })
  )

  it.live("does not serve a run with another memory limit", () =>
    Effect.gen(function* () {
      const it = yield* runners()
      yield* Effect.promise(async () => {
        const pid = await waiting(it)
        const { child, warm } = it.take(1024, [])
        assert.isFalse(warm)
        assert.notStrictEqual(child.pid, pid)
        await child.stop(false)
        assert.strictEqual(it.waiting[0], pid)
      })
    })
  )

  it.live("that dies in the moment it is taken costs the run nothing", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* Effect.gen(function* () {
        yield* Effect.promise(() => eventually("the child is there", () => childrenOf(process.pid).some(isOurs(root))))
        const victims = childrenOf(process.pid).filter(isOurs(root))
        // Stopped, it takes the order and cannot answer; then it is killed.
        for (const pid of victims) process.kill(pid, "SIGSTOP")
        setTimeout(() => {
          for (const pid of victims) process.kill(pid, "SIGKILL")
        }, 200)
        const messages = yield* follow(one)
        assert.strictEqual(ended(messages).outcome, "succeeded")
        assert.notInclude(victims, started(messages).pid)
        assert.strictEqual(printed(messages).length, 1)
      }).pipe(Effect.provide(engine(settings(root, { warm: true, warmDelayMillis: 0 }))))
      assert.deepStrictEqual(childrenOf(process.pid).filter(isOurs(root)), [])
    })
  )
})

/** Whether a process belongs to the engine of this folder: its working folder is the engine's. */
const isOurs = (root: string) => (pid: number) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(root)
  } catch {
    return false
  }
}
