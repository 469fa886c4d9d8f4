import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import pg from "pg"
import { startEmbedded } from "../src/layers/postgres/embedded/Embedded.ts"
import { cpuSecondsOf, pinned, treeOf } from "./measure.ts"

// The cost and benefit of compressed answers: a list of flowlines in pages, the executions as one streamed list, and
// the scan of nodes, each uncompressed, in gzip and in zstd. The codings alternate. It measures the processor time of
// the gateway and of PostgreSQL, from the kernel's accounting, and the size of the bodies.

await pinned(import.meta.filename)

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 20)
const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
chmodSync(folder, 0o711)
let gateway: ChildProcess | undefined

/** Processor milliseconds so far of the gateway and PostgreSQL, which this process has started. */
const cpuMillis = (): number => cpuSecondsOf(treeOf(process.pid).slice(1)) * 1000

/** The bytes of the body in their transfer encoding. */
const sizeOf = (url: string, coding: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": coding } }, (response) => {
      let bytes = 0
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on("end", () => resolve(response.statusCode === 200 ? bytes : Number.NaN))
      response.on("error", reject)
    }).on("error", reject)
  })

const start = (database: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, FLOW_DATA: join(folder, "data"), FLOW_DATABASE_URL: database, FLOW_PORT: "0" }
    const child = spawn(process.execPath, ["src/main.ts"], { env, stdio: ["ignore", "pipe", "ignore"] })
    gateway = child
    child.once("exit", (code) => reject(new Error(`The gateway has ended with ${code}`)))
    child.stdout.on("data", (chunk: Buffer) => {
      const ready = /ready (http:\S+)/.exec(chunk.toString())
      if (ready !== null) resolve(ready[1]!)
    })
  })

const scope = Effect.runSync(Scope.make())
try {
  const { url: databaseUrl } = await Effect.runPromise(Scope.provide(startEmbedded({ folder }), scope))
  const database = Redacted.value(databaseUrl)
  const url = await start(database)
  const flowline = readFileSync("examples/conf/tenants/mytenant/flowlines/apache-access.yaml")
  let id = ""
  for (let count = 0; count < 300; count++) {
    const form = new FormData()
    form.set("file", new Blob([flowline]), "f.yaml")
    const saved = await fetch(`${url}/v1/mytenant/flowline/save`, { method: "POST", body: form })
    id = ((await saved.json()) as { readonly id: string }).id
  }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query(`
    insert into executions (tenant, id, flowline_id, version, runtime, state, job_id, started_at, ended_at, event, event_at)
    select 'mytenant', '${id}-' || (1763683200000 + n * 977), '${id}', 1, 'stream', 'SUCCEEDED', 'host:' || n,
      now() - n * interval '1 minute', now() - n * interval '59 seconds', 'stream.application.end', now()
    from generate_series(1, 20000) n`)
  await client.end()

  console.log(`Node ${process.versions.node}, ${rounds} rounds of 10 requests`)
  console.log("what                     coding     KiB sent   ratio   ms of processor per MiB of text")
  for (const [what, path] of [
    ["300 flowlines, a page", "/v1/mytenant/flowline?limit=1000"],
    ["20,000 executions", "/v1/mytenant/flowline/executions"],
    ["the scan of all nodes", "/v1/mytenant/flowline/scan"]
  ] as const) {
    const codings = ["identity", "gzip", "zstd"]
    const sizes = await Promise.all(codings.map((coding) => sizeOf(url + path, coding)))
    const used = [0, 0, 0]
    for (let round = 0; round < rounds; round++) {
      for (const [index, coding] of codings.entries()) {
        const before = cpuMillis()
        for (let count = 0; count < 10; count++) await sizeOf(url + path, coding)
        used[index]! += cpuMillis() - before
      }
    }
    for (const [index, coding] of codings.entries()) {
      const perMib = used[index]! / (rounds * 10) / (sizes[0]! / 1024 / 1024)
      const ratio = (sizes[0]! / sizes[index]!).toFixed(1).padStart(7)
      const sent = (sizes[index]! / 1024).toFixed(0).padStart(12)
      console.log(`${what.padEnd(24)} ${coding.padEnd(8)} ${sent} ${ratio}   ${perMib.toFixed(1).padStart(6)}`)
    }
  }
} finally {
  gateway?.kill()
  if (gateway !== undefined && gateway.exitCode === null) await new Promise((done) => gateway?.once("exit", done))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
}
