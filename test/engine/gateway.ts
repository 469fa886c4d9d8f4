import { Effect, Layer, Stream } from "effect"
import { EngineConfig } from "../../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../../src/layers/engine/LocalEngine.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { act, settings } from "./support.ts"

// A gateway to be killed: runs the given acts in the folder of its first argument and prints each message as a line.

const [root = "", ...types] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { run } = yield* Engine
  const tell = (message: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(message)}\n`))
  yield* Effect.forEach(types, (type) => Stream.runForEach(run(act(type, { chunks: 4, after: "busy" })), tell), {
    concurrency: "unbounded"
  })
})

const layer = LocalEngine.layer.pipe(
  Layer.provide(Layer.succeed(EngineConfig, settings(root, { warm: true, warmDelayMillis: 0 })))
)

Effect.runFork(Effect.provide(program, layer))
