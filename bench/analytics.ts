import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect, Layer, Stream } from "effect"
import * as Disk from "../src/drivers/blobs/DiskBlobs.ts"
import { EngineConfig } from "../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../src/layers/engine/LocalEngine.ts"
import type { DagNode, Flowline } from "../src/protocol/Flowline.ts"
import { Engine } from "../src/services/runs/Attempt.ts"

/**
 * A query over 5M rows of Parquet as an analytics flowline, in a process of its own, through the engine and through a
 * gateway over HTTP, against the same query of a DuckDB in this process that is open already, with as many threads. A
 * flowline over two rows tells the fixed start: `node bench/analytics.ts`.
 */

const rows = Number(process.env["BENCH_ROWS"] ?? 5_000_000)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7)
const threads = 2
/** Time that a warm runner gets to be made. */
const warmMillis = 700

const root = mkdtempSync(join(tmpdir(), "flow-bench-analytics-"))
const tenant = "acme"
const conf = join(root, "conf", "tenants", tenant)
for (const folder of [conf, join(root, "blobs"), join(root, "alone")]) mkdirSync(folder, { recursive: true })

const query = (table: string) =>
  "SELECT customer % 1000 AS segment, country, count(*) AS orders, sum(amount) AS total, avg(amount) AS mean, " +
  `approx_count_distinct(customer) AS customers, max(placed) AS latest FROM ${table} WHERE status <> 'returned' ` +
  "GROUP BY ALL ORDER BY total DESC"

const connection = await (await DuckDBInstance.create(":memory:", { threads: String(threads) })).connect()
const make = (path: string, count: number) =>
  connection.run(
    `COPY (SELECT range AS id, hash(range) % 200000 AS customer, (hash(range + 1) % 100000 / 100)::DECIMAL(10, 2) AS amount,
       ['CZ', 'NO', 'PL', 'AT', 'PT'][1 + (hash(range + 2) % 5)::INTEGER] AS country,
       ['paid', 'open', 'returned'][1 + (hash(range + 3) % 3)::INTEGER] AS status,
       TIMESTAMP '2026-01-01' + (INTERVAL 1 SECOND) * (range % 1000000) AS placed FROM range(${count})) TO '${path}' (FORMAT parquet)`
  )
await make(join(conf, "orders.parquet"), rows)
await make(join(conf, "few.parquet"), 2)

const node = (type: string, settings: DagNode["settings"], from?: string): DagNode => ({
  type,
  settings,
  subscribe: from === undefined ? [] : [{ component: from, stream: "out" }],
  publish: type === "file_output" ? [] : [{ stream: "out" }]
})
const flowline = (path: string): Flowline => ({
  runtime: "analytics",
  settings: { threads },
  dag: [
    node("file_input", { path }),
    node("sql", { statement: query("file_input") }, "file_input"),
    node("file_output", { path: "out.csv" }, "sql")
  ]
})

const settings = (warm: boolean) =>
  EngineConfig.settings({
    confRoot: join(root, "conf"),
    dataRoot: join(root, "data"),
    tempRoot: join(root, "temp"),
    blobs: { kind: "disk", root: join(root, "blobs") },
    warm
  })
const engine = (warm: boolean) => LocalEngine.layer.pipe(Layer.provide(Layer.succeed(EngineConfig, settings(warm))))

let runs = 0
const through = (path: string) =>
  Effect.gen(function* () {
    const { run } = yield* Engine
    const started = performance.now()
    const messages = yield* Stream.runCollect(
      run({ tenant, executionId: `bench-${++runs}`, epoch: 1, flowline: flowline(path) })
    )
    const end = messages.at(-1)
    if (end?._tag !== "Ended" || end.outcome !== "succeeded") throw new Error(JSON.stringify(end))
    return performance.now() - started
  })

const alone = async () => {
  const started = performance.now()
  const from = `'${join(conf, "orders.parquet")}'`
  await connection.run(`COPY (${query(from)}) TO '${join(root, "alone", "out.csv")}' (FORMAT csv, HEADER)`)
  return performance.now() - started
}

const median = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

/** A gateway as `npm start` makes it, asked over HTTP. */
const throughGateway = async () => {
  const env = { ...process.env, FLOW_CONF: join(root, "conf"), FLOW_DATA: join(root, "gateway"), FLOW_PORT: "0" }
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const gateway = spawn(process.execPath, [main], {
    env: { ...env, FLOW_TENANT: tenant, FLOW_LOG: "error" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(gateway, "exit")
  const [, base = ""] = await new Promise<RegExpMatchArray>((resolve, reject) => {
    let said = ""
    gateway.stdout.on("data", (chunk) => {
      said += chunk
      const ready = /ready (http:\S+)/.exec(said)
      if (ready !== null) resolve(ready)
    })
    void exited.then(() => reject(new Error(`the gateway did not start: ${said}`)))
  })
  const ask = async (path: string, init?: RequestInit) =>
    JSON.parse(await (await fetch(`${base}/v1/${tenant}/flowline${path}`, init)).text())
  const save = async (path: string): Promise<string> => {
    const body = new FormData()
    body.set("file", new Blob([JSON.stringify(flowline(path))]), "flowline.json")
    const saved = await ask("/save", { method: "POST", body })
    if (saved.id === undefined) throw new Error(JSON.stringify(saved))
    return saved.id
  }
  const execute = async (id: string): Promise<number> => {
    const started = performance.now()
    const execution = (await ask(`/${id}`, { method: "POST" })).id
    for (;;) {
      const detail = await ask(`/${id}/executions/${execution}`)
      if (detail.state === "SUCCEEDED") return performance.now() - started
      if (detail.state !== "PENDING" && detail.state !== "RUNNING") throw new Error(JSON.stringify(detail))
      await sleep(5)
    }
  }
  try {
    const [few, all] = [await save("few.parquet"), await save("orders.parquet")]
    const [large, small, duck]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
    for (let round = 0; round <= rounds; round++) {
      await sleep(warmMillis)
      const start = await execute(few)
      await sleep(warmMillis)
      const whole = await execute(all)
      const bare = await alone()
      if (round === 0) continue
      large.push(whole)
      small.push(start)
      duck.push(bare)
    }
    tell("gateway over HTTP", large, small, duck)
  } finally {
    gateway.kill("SIGTERM")
    await exited
  }
}

const tell = (name: string, ...times: ReadonlyArray<ReadonlyArray<number>>) => {
  const [whole = 0, start = 0, bare = 0] = times.map(median)
  console.log(
    `${name}: flowline ${whole.toFixed(0)} ms, fixed start ${start.toFixed(0)} ms, DuckDB alone ${bare.toFixed(0)} ms, ` +
      `ratio beyond the start ${(bare / (whole - start)).toFixed(2)}`
  )
}

const measure = Effect.fnUntraced(function* (warm: boolean) {
  const [large, small, duck]: ReadonlyArray<Array<number>> = [[], [], []]
  for (let round = 0; round <= rounds; round++) {
    const pause = Effect.sleep(warm ? warmMillis : 0)
    yield* pause
    const start = yield* through("few.parquet")
    yield* pause
    const whole = yield* through("orders.parquet")
    const bare = yield* Effect.promise(alone)
    if (round === 0) continue
    large?.push(whole)
    small?.push(start)
    duck?.push(bare)
  }
  tell(`engine, ${warm ? "warm" : "cold"} runner`, large ?? [], small ?? [], duck ?? [])
})

try {
  console.log(`${rows} rows of Parquet, ${threads} threads, medians of ${rounds}`)
  await Effect.runPromise(
    Effect.scoped(Layer.build(Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(join(root, "blobs"))))))
  )
  for (const warm of [true, false]) await Effect.runPromise(measure(warm).pipe(Effect.provide(engine(warm))))
  await throughGateway()
} finally {
  rmSync(root, { recursive: true, force: true })
}
