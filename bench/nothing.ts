import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Flowline } from "../src/protocol/Flowline.ts"
import { type Cost, costOf, median, onCores } from "./measure.ts"
import { Gateway, node } from "./runs.ts"

/**
 * A run that does nothing, through a gateway over HTTP: the processor time of the gateway, its PostgreSQL, the run, and
 * the runner that replaces it, compared with a bare `node -e 0`: `node bench/nothing.ts`.
 */

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const runs = Number(process.env["BENCH_RUNS"] ?? 8)

const nothing: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [node("generator_input", { messages: ["a"], count: 1 }), node("filter", { where: "false" }, "generator_input")]
}

const bare = () =>
  costOf([process.pid], async () => {
    for (let run = 0; run < runs; run++) spawnSync(process.execPath, ["-e", "0"])
  })

onCores(import.meta.filename, async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  const gateway = await Gateway.start(folder)
  try {
    const id = await gateway.save(nothing)
    for (let run = 0; run < 3; run++) await gateway.execute(id)
    const costs: { ours: Array<Cost>; bare: Array<Cost> } = { ours: [], bare: [] }
    const walls: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const one = async () => {
        for (let run = 0; run < runs; run++) {
          walls.push(await gateway.execute(id))
          // Time for the next runner to start.
          await sleep(400)
        }
        await gateway.idle()
      }
      await gateway.idle()
      if (round % 2 === 0) costs.bare.push(await bare())
      costs.ours.push(await costOf([gateway.pid], one))
      if (round % 2 === 1) costs.bare.push(await bare())
    }
    const millis = (some: ReadonlyArray<Cost>) => (median(some.map(({ cpuSeconds }) => cpuSeconds)) / runs) * 1000
    const peak = Math.max(...costs.ours.map(({ peakMiB }) => peakMiB))
    console.log("a run that does nothing | CPU | node -e 0, CPU | wall | peak of all processes")
    console.log(
      `| ${millis(costs.ours).toFixed(0)} ms | ${millis(costs.bare).toFixed(0)} ms | ${median(walls).toFixed(0)} ms | ${peak.toFixed(0)} MiB`
    )
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
