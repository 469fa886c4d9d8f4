import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Runners } from "../../src/layers/engine/Runners.ts"
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
})
