import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ended, engine, flowline, follow, node, places, settings, spec } from "./support.ts"

const run = flowline([
  node("generator_input", { count: 1, messages: [{ message: "one" }] }),
  node("file_output", { path: "out.ndjson" }, "generator_input")
])

const refusal = "The folders of the run could not be made: the data storage is full, read-only or does not answer"

describe("the folder of what runs write", () => {
  it.live("is not made again while it is away, and is used when it is back", () =>
    Effect.gen(function* () {
      const { root, data } = yield* places
      const kept = join(root, "data")
      yield* Effect.gen(function* () {
        assert.strictEqual(ended(yield* follow(spec(run))).outcome, "succeeded")
        renameSync(kept, `${kept}.away`)
        const away = ended(yield* follow(spec(run)))
        assert.deepInclude(away, { outcome: "failed", error: refusal })
        assert.isFalse(existsSync(kept))
        renameSync(`${kept}.away`, kept)
        assert.strictEqual(ended(yield* follow(spec(run))).outcome, "succeeded")
        assert.isTrue(existsSync(join(data, "out.ndjson")))
      }).pipe(Effect.provide(engine(settings(root))))
    })
  )
})
