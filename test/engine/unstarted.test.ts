import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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

  /** A program whose first process hangs. With `always` the others do, too. */
  const hanging = (root: string, always: boolean) =>
    Effect.promise(async () => {
      const mark = join(root, "hangs")
      const file = join(root, "entry.mjs")
      const next = always ? "setInterval(() => {}, 1000)" : `await import(${JSON.stringify(settings(root).entry)})`
      const text = `import { existsSync, writeFileSync } from "node:fs"
        const mark = ${JSON.stringify(mark)}
        if (existsSync(mark)) { ${next} } else { writeFileSync(mark, ""); setInterval(() => {}, 1000) }`
      await writeFile(file, text)
      return { mark, entry: pathToFileURL(file) }
    })

  const one = flowline([node("generator_input", { count: 1, messages: [{ message: "one" }] })])

  it.live("because it hangs, fails its run in time", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { entry } = yield* hanging(root, true)
      const given = settings(root, { entry, startMillis: 200 })
      const { outcome, error } = ended(yield* follow(spec(one)).pipe(Effect.provide(engine(given))))
      assert.deepStrictEqual([outcome, error], ["failed", "The process of the run did not start within 0.2 seconds"])
    })
  )

  it.live("because the one kept ready hangs, is replaced by another one", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { entry, mark } = yield* hanging(root, false)
      let reads = 0
      const given = {
        ...settings(root, { entry, warm: true, warmDelayMillis: 0 }),
        // Short for the first process only: how long the start of the second one takes depends on the machine.
        get startMillis() {
          return reads++ === 0 ? 200 : 60_000
        }
      }
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(Engine, () => Effect.promise(() => eventually("a child", () => existsSync(mark))))
        assert.strictEqual(ended(yield* follow(spec(one))).outcome, "succeeded")
      }).pipe(Effect.provide(engine(given)))
    })
  )
})
