import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Engine } from "../../src/services/runs/Engine.ts"
import { engine, filesIn, flowline, node, places, settings, spec } from "./support.ts"

const writing = () =>
  spec(
    flowline([
      node("generator_input", { messages: ["one"], count: 10, rate: 1_000_000 }),
      node("file_output", { path: "a.ndjson" }, "generator_input"),
      node("file_output", { path: "b.ndjson" }, "generator_input")
    ])
  )

describe("a data file", () => {
  it.live("takes its place only when the claim of its run has been confirmed", () =>
    Effect.gen(function* () {
      const { root, data } = yield* places
      const messages = Effect.map(Engine, ({ run }) => run(writing())).pipe(Stream.unwrap)
      yield* Effect.gen(function* () {
        // The claim turns out to be lost: the run ends without it.
        yield* Stream.runDrain(Stream.takeWhile(messages, ({ _tag }) => _tag !== "Publishing"))
        assert.isFalse(existsSync(data))
        assert.deepStrictEqual(filesIn(join(root, "data")), [])
        let asked = 0
        yield* Stream.runForEach(messages, ({ _tag }) =>
          Effect.sync(() => {
            if (_tag !== "Publishing") return
            if (asked++ === 0) assert.isFalse(existsSync(data))
          })
        )
        assert.isAbove(asked, 0)
        assert.deepStrictEqual(filesIn(data), [join(data, "a.ndjson"), join(data, "b.ndjson")])
      }).pipe(Effect.provide(engine(settings(root))))
    })
  )
})
