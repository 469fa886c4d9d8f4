import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { startBundled } from "../src/drivers/Programs.ts"
import { EngineConfig } from "../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../src/layers/engine/LocalEngine.ts"
import type { Flowline } from "../src/protocol/Flowline.ts"
import { Engine } from "../src/services/runs/Engine.ts"
import { pinned } from "./measure.ts"
import { node } from "./runs.ts"

// The time from `run` to a run's first message and to its first line of output, with and without a warm runner: `node
// bench/starts.ts`.

await pinned(import.meta.filename)

// Runs start the bundled programs, as those of a gateway do.
startBundled()

const starts = Number(process.env["BENCH_STARTS"] ?? 40)

const flowline: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [node("generator_input", { messages: ["hello"], count: 1 }), node("show", {}, "generator_input")]
}

const firstMessages = Effect.gen(function* () {
  const { run } = yield* Engine
  const before = performance.now()
  const times: { started?: number; output?: number } = {}
  yield* Stream.runForEach(run({ tenant: "bench", executionId: "s", epoch: 1, flowline }), (message) =>
    Effect.sync(() => {
      if (message._tag === "Started") times.started = performance.now() - before
      if (message._tag === "Output") times.output ??= performance.now() - before
    })
  )
  return { started: times.started ?? Number.NaN, output: times.output ?? Number.NaN }
})

const quantile = (values: ReadonlyArray<number>, q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
try {
  mkdirSync(join(folder, "conf", "tenants", "bench"), { recursive: true })
  const settings = EngineConfig.settings({
    confRoot: join(folder, "conf"),
    dataRoot: join(folder, "data"),
    tempRoot: join(folder, "temp"),
    blobs: { kind: "disk", root: join(folder, "blobs") }
  })
  console.log("what | p50 | p99")
  for (const warm of [true, false]) {
    const many = Effect.gen(function* () {
      const times: Array<{ started: number; output: number }> = []
      for (let i = 0; i < starts; i++) {
        // Enough time for the next runner to start.
        yield* Effect.sleep(warm ? 900 : 0)
        times.push(yield* firstMessages)
      }
      return times
    })
    const layer = LocalEngine.layer.pipe(Layer.provide(Layer.succeed(EngineConfig, { ...settings, warm })))
    const times = await Effect.runPromise(Effect.provide(many, layer))
    for (const what of ["started", "output"] as const) {
      const [half, most] = [0.5, 0.99].map((q) =>
        quantile(
          times.map((time) => time[what]),
          q
        ).toFixed(1)
      )
      console.log(`run to ${what}, ${warm ? "warm" : "no warm runner"} | ${half} ms | ${most} ms`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
