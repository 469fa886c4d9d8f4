import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lackIn } from "../../src/layers/engine/Lack.ts"
import { Runners } from "../../src/layers/engine/Runners.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { eventually } from "../support/process.ts"
import { ended, engine, flowline, follow, node, places, settings, spec } from "./support.ts"

/** Puts something in the place of the folder in which processes of runs start, as where a disk is away. */
const spoil = (temp: string) =>
  Effect.promise(async () => {
    await rm(temp, { recursive: true, force: true })
    await writeFile(temp, "")
  })

const mend = (temp: string) =>
  Effect.promise(async () => {
    await rm(temp, { recursive: true, force: true })
    await mkdir(temp)
  })

describe("a process of a run that cannot be started", () => {
  it.live("fails its run, and the next one is started", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const temp = join(root, "temp")
      const run = flowline([node("generator_input", { count: 1, messages: [{ message: "one" }] })])
      yield* Effect.gen(function* () {
        yield* spoil(temp)
        const failed = ended(yield* follow(spec(run)))
        assert.strictEqual(failed.outcome, "failed")
        yield* mend(temp)
        assert.strictEqual(ended(yield* follow(spec(run))).outcome, "succeeded")
      }).pipe(Effect.provide(engine(settings(root))))
    })
  )

  it.live("and is to be kept ready, is started when that is possible again", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const temp = join(root, "temp")
      yield* spoil(temp)
      let isTried = false
      const runners = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Runners({
              ...settings(root),
              warm: true,
              warmDelayMillis: 0,
              spares: () => {
                isTried = true
                return 1
              }
            })
        ),
        (runners) => Effect.promise(() => runners.close())
      )
      yield* Effect.promise(() => eventually("a start", () => isTried))
      assert.deepStrictEqual(runners.waiting, [])
      yield* mend(temp)
      yield* Effect.promise(() => eventually("a child that waits", () => runners.waiting.length === 1))
    })
  )

  /** A program whose first process does this in place of its work. With `always` the others do, too. */
  const failing = (root: string, instead: string, always: boolean) =>
    Effect.promise(async () => {
      const mark = join(root, "failed")
      const file = join(root, "entry.mjs")
      const next = always ? instead : `await import(${JSON.stringify(settings(root).entry)})`
      const text = `import { existsSync, writeFileSync, writeSync } from "node:fs"
        const mark = ${JSON.stringify(mark)}
        if (existsSync(mark)) { ${next} } else { writeFileSync(mark, ""); ${instead} }`
      await writeFile(file, text)
      return { mark, entry: pathToFileURL(file) }
    })

  /** Until the gateway ends. */
  const hang = "process.stdin.resume()"
  /** As of a worker or of `fork` where no more processes are allowed. */
  const lack = 'writeSync(2, "Error: EAGAIN\\n    at new Worker"); process.exit(1)'
  const one = flowline([node("generator_input", { count: 1, messages: [{ message: "one" }] })])

  it.live("because it hangs, fails its run in time", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { entry } = yield* failing(root, hang, true)
      const given = settings(root, { entry, startMillis: 200 })
      const { outcome, error } = ended(yield* follow(spec(one)).pipe(Effect.provide(engine(given))))
      assert.deepStrictEqual([outcome, error], ["failed", "The process of the run did not start within 0.2 seconds"])
    })
  )

  it.live("because the one kept ready hangs, is replaced by another one", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { entry, mark } = yield* failing(root, hang, false)
      // How long the start of the second one takes depends on the machine.
      const given = settings(root, { entry, warm: true, warmDelayMillis: 0, answerMillis: 200 })
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(Engine, () => Effect.promise(() => eventually("a child", () => existsSync(mark))))
        assert.strictEqual(ended(yield* follow(spec(one))).outcome, "succeeded")
      }).pipe(Effect.provide(engine(given)))
    })
  )

  it.live("because no more threads are allowed, is started when they are", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { entry } = yield* failing(root, lack, false)
      const run = follow(spec(one)).pipe(Effect.provide(engine(settings(root, { entry }))))
      assert.strictEqual(ended(yield* run).outcome, "succeeded")
    })
  )

  it("says what has lacked", () => {
    const said = [
      "spawn setpriv EMFILE",
      "BlockingIOError: [Errno 11] Resource temporarily unavailable",
      "Assertion failed: (0) == (uv_thread_create(t.get(), start_thread, this))",
      "# Fatal process out of memory: SegmentedTable::InitializeTable (subspace allocation)",
      "SyntaxError: Unexpected token"
    ]
    assert.deepStrictEqual(
      said.map((tail) => lackIn(tail)?.split(" (")[0]),
      [
        "no more files may be opened",
        "no more processes or threads may be started",
        "no more processes or threads may be started",
        "no memory is free for it, or its address space is limited",
        undefined
      ]
    )
  })
})
