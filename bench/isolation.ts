import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { findIsolation } from "../src/drivers/isolation/Probe.ts"
import { startBundled } from "../src/drivers/Programs.ts"
import { findPython } from "../src/drivers/python/Interpreter.ts"
import { EngineConfig } from "../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../src/layers/engine/LocalEngine.ts"
import { plainLauncher } from "../src/layers/engine/RunLauncher.ts"
import { findRunIsolation } from "../src/layers/isolation/RunProbe.ts"
import type { Flowline } from "../src/protocol/Flowline.ts"
import type { RunIsolation } from "../src/protocol/Isolation.ts"
import { Engine } from "../src/services/runs/Engine.ts"
import { pinned } from "./measure.ts"

/**
 * Processor time of a run that does nothing, with its spare process: the gateway, the run and everything in between,
 * with and without isolation: `node bench/isolation.ts`. As root, no process of a run is killed before its parent has
 * counted it.
 */

await pinned(import.meta.filename)

const runs = Number(process.env["BENCH_RUNS"] ?? 20)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)

const flowline: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [
    {
      type: "generator_input",
      settings: { messages: ["hello"], count: 1 },
      subscribe: [],
      publish: [{ stream: "out" }]
    },
    { type: "show", settings: {}, subscribe: [{ component: "generator_input", stream: "out" }], publish: [] }
  ]
}

/** Processor milliseconds of this process and of all children that it has waited for. */
const processorMillis = () => {
  const fields = readFileSync("/proc/self/stat", "latin1").split(") ")[1]?.split(" ") ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

startBundled()
const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
const settings = EngineConfig.settings({
  confRoot: join(folder, "conf"),
  dataRoot: join(folder, "data"),
  tempRoot: join(folder, "temp"),
  blobs: { kind: "disk", root: join(folder, "data") }
})
mkdirSync(join(folder, "conf/tenants/bench"), { recursive: true })
mkdirSync(join(folder, "data/.health"), { recursive: true })

const measure = async (isolation: RunIsolation) => {
  const some = Effect.gen(function* () {
    const { run } = yield* Engine
    const times: Array<number> = []
    for (let i = 0; i < runs; i++) {
      // Enough time for the next runner to start.
      yield* Effect.sleep(Number(process.env["BENCH_PAUSE"] ?? 900))
      const before = performance.now()
      yield* Stream.runForEach(run({ tenant: "bench", executionId: `b${i}`, epoch: 1, flowline }), (message) =>
        Effect.sync(() => {
          if (message._tag === "Started") times.push(performance.now() - before)
        })
      )
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  })
  const layer = LocalEngine.layer.pipe(
    Layer.provide(Layer.succeed(EngineConfig, { ...settings, isolation: async () => isolation }))
  )
  const before = processorMillis()
  const started = await Effect.runPromise(Effect.provide(some, layer))
  return { processor: (processorMillis() - before) / runs, started }
}

const interpreter = await findPython()
const python = {
  interpreter,
  isolation:
    interpreter === undefined ? undefined : await findIsolation(interpreter, { root: settings.tempRoot, hidden: [] })
}
const site = {
  hidden: [folder],
  tempRoot: settings.tempRoot,
  hasNetwork: true,
  roots: [settings.confRoot, settings.dataRoot]
}
const isolated = await findRunIsolation(python, site, settings.tempRoot)
console.log(`parts: ${isolated.parts.join(", ")}`)
const plain: RunIsolation = { parts: [], missing: [], launcher: plainLauncher(), hasDoor: false }
try {
  // The first runs compile the modules.
  await measure(plain)
  for (let round = 0; round < rounds; round++) {
    for (const [name, isolation] of [
      ["without", plain],
      ["isolated", isolated]
    ] as const) {
      const { processor, started } = await measure(isolation)
      console.log(
        `${name}: ${processor.toFixed(0)} ms of processor a run, first message after ${started.toFixed(1)} ms`
      )
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
