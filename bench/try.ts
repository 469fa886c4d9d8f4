import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startBundled } from "../src/drivers/Programs.ts"
import { startProcess } from "../test/support/process-gateway.ts"
import { cpuSecondsOf, pinned } from "./measure.ts"

/**
 * Milliseconds of POST /v1/{tenant}/flowline/try with 100 lines, from the request to the end of the answer, on a
 * gateway with embedded PostgreSQL: `node bench/try.ts`. Warm: a run is kept ready. Cold: requests follow without a
 * pause, so each starts a process.
 */

await pinned(import.meta.filename)

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 30)

const access = `runtime: stream
dag:
  - { type: file_input, settings: { path: none.log }, publish: [{ stream: lines }] }
  - { type: grok, settings: { patterns: ["%{COMBINEDAPACHELOG}"] }, subscribe: [{ component: file_input, stream: lines }], publish: [{ stream: out }] }
  - { type: filter, settings: { where: response >= 500 }, subscribe: [{ component: grok, stream: out }], publish: [{ stream: out }] }
  - { type: file_output, settings: { path: out.ndjson }, subscribe: [{ component: filter, stream: out }] }
`

const totals = `runtime: analytics
dag:
  - { type: file_input, component: rows, settings: { path: none.csv }, publish: [{ stream: out }] }
  - { type: sql, component: total, settings: { statement: "SELECT city, sum(amount) AS total FROM rows GROUP BY city" }, subscribe: [{ component: rows, stream: out }], publish: [{ stream: out }] }
  - { type: archive_output, settings: { entry: a.csv }, subscribe: [{ component: total, stream: out }] }
`

const python = `runtime: pybatch
dag:
  - { type: file_input, settings: { path: none.log }, publish: [{ stream: lines }] }
  - { type: parse_access, subscribe: [{ component: file_input, stream: lines }], publish: [{ stream: out }] }
  - { type: archive_output, settings: { entry: a.ndjson }, subscribe: [{ component: parse_access, stream: out }] }
`

const line = (at: number) =>
  `10.0.0.${at % 250} - - [10/Oct/2026:13:55:36 +0000] "GET /page/${at} HTTP/1.1" ${at % 7 === 0 ? 500 : 200} ${at} "-" "curl/8"`
const lines = Array.from({ length: 100 }, (_, at) => line(at)).join("\n")
const csv = ["city,amount", ...Array.from({ length: 100 }, (_, at) => `c${at % 5},${at}`)].join("\n")

const quantile = (values: ReadonlyArray<number>, q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

// As `npm start` runs it, without the source files.
startBundled()
const data = mkdtempSync(join(tmpdir(), "flow-bench-"))
const gateway = startProcess({ FLOW_DATA: data })
try {
  const { url } = await gateway.ready()
  const once = async (file: string, sample: string) => {
    const form = new FormData()
    form.set("file", new Blob([file]), "flowline.yaml")
    form.set("sample", sample)
    const began = performance.now()
    const response = await fetch(`${url}/v1/mytenant/flowline/try`, { method: "POST", body: form })
    const body = (await response.json()) as { outcome?: string }
    if (body.outcome !== "succeeded") throw new Error(JSON.stringify(body))
    return performance.now() - began
  }
  const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
  console.log("what | p50 | p90 | processor time of all processes | target")
  for (const [name, file, sample] of [
    ["stream", access, lines],
    ["analytics", totals, csv],
    ["pybatch", python, lines]
  ] as const) {
    for (const kind of ["warm", "cold"] as const) {
      const times: Array<number> = []
      const before = cpuSecondsOf([gateway.process.pid!])
      for (let round = 0; round <= rounds; round++) {
        // Enough time for the next runner to start.
        if (kind === "warm") await pause(1500)
        const millis = await once(file, sample)
        if (round > 0) times.push(millis)
      }
      const cpu = ((cpuSecondsOf([gateway.process.pid!]) - before) / (rounds + 1)) * 1000
      const [half, most] = [0.5, 0.9].map((q) => `${quantile(times, q).toFixed(0)} ms`)
      console.log(
        `100 lines, ${name}, ${kind} | ${half} | ${most} | ${cpu.toFixed(0)} ms | ${kind === "warm" ? "300 ms" : "-"}`
      )
    }
  }
} finally {
  gateway.process.kill("SIGTERM")
  await gateway.exit
  rmSync(data, { recursive: true, force: true })
}
