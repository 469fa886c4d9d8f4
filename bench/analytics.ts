import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import type { Flowline } from "../src/protocol/Flowline.ts"
import { type Cost, costOf, median, onCores } from "./measure.ts"
import { confOf, Gateway, node } from "./runs.ts"

/**
 * A query over millions of rows of Parquet as an analytics flowline, through a gateway over HTTP, compared with the
 * same query in DuckDB with as many threads, in a process with an open database. A flowline over two rows shows the
 * fixed start-up cost, a stream flowline over two lines the cost of any run: `node bench/analytics.ts`.
 */

const rows = Number(process.env["BENCH_ROWS"] ?? 20_000_000)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)

const query = (table: string) =>
  "SELECT customer % 1000 AS segment, country, count(*) AS orders, sum(amount) AS total, avg(amount) AS mean, " +
  `approx_count_distinct(customer) AS customers, max(placed) AS latest FROM ${table} WHERE status <> 'returned' ` +
  "GROUP BY ALL ORDER BY total DESC"

/** The reference: executes each statement that it receives. */
const serve = async (threads: string) => {
  const connection = await (await DuckDBInstance.create(":memory:", { threads })).connect()
  process.on("message", async (statement) => {
    await connection.run(String(statement))
    process.send?.("done")
  })
  process.send?.("ready")
}

const analytics = (path: string, threads: number): Flowline => ({
  runtime: "analytics",
  settings: { threads },
  dag: [
    node("file_input", { path }),
    node("sql", { statement: query("file_input") }, "file_input"),
    node("file_output", { path: "out.csv" }, "sql")
  ]
})

const stream: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [
    node("file_input", { path: "few.csv" }),
    node("filter", { where: 'status != "returned"' }, "file_input"),
    node("file_output", { path: "few.ndjson" }, "filter")
  ]
}

const compare = async (cores: number) => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  const conf = confOf(folder)
  mkdirSync(conf, { recursive: true })
  const threads = Math.min(2, cores)
  const duck = fork(import.meta.filename, ["duckdb", String(threads)])
  await once(duck, "message")
  const run = async (statement: string) => {
    const began = performance.now()
    duck.send(statement)
    await once(duck, "message")
    return performance.now() - began
  }
  const make = (name: string, count: number, format: string) =>
    run(
      `COPY (SELECT range AS id, hash(range) % 200000 AS customer,
         (hash(range + 1) % 100000 / 100)::DECIMAL(10, 2) AS amount,
         ['CZ', 'NO', 'PL', 'AT', 'PT'][1 + (hash(range + 2) % 5)::INTEGER] AS country,
         ['paid', 'open', 'returned'][1 + (hash(range + 3) % 3)::INTEGER] AS status,
         TIMESTAMP '2026-01-01' + (INTERVAL 1 SECOND) * (range % 1000000) AS placed
       FROM range(${count})) TO '${join(conf, name)}' (FORMAT ${format})`
    )
  await make("orders.parquet", rows, "parquet")
  await make("few.parquet", 2, "parquet")
  await make("few.csv", 2, "csv")
  const gateway = await Gateway.start(folder)
  try {
    const [any, few, all] = [
      await gateway.save(stream),
      await gateway.save(analytics("few.parquet", threads)),
      await gateway.save(analytics("orders.parquet", threads))
    ]
    const copy = `COPY (${query(`'${join(conf, "orders.parquet")}'`)}) TO '${join(folder, "out.csv")}' (FORMAT csv, HEADER)`
    const works = {
      stream: [gateway.pid, () => gateway.execute(any)],
      start: [gateway.pid, () => gateway.execute(few)],
      whole: [gateway.pid, () => gateway.execute(all)],
      bare: [duck.pid!, () => run(copy)]
    } as const
    type Name = keyof typeof works
    const measured: Record<Name, Array<Cost & { readonly millis: number }>> = {
      stream: [],
      start: [],
      whole: [],
      bare: []
    }
    for (let round = 0; round <= rounds; round++) {
      const names: Array<Name> = ["stream", "start", "whole", "bare"]
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        // Idle otherwise: the last run's spare runner has been replaced.
        await gateway.idle()
        const [pid, work] = works[name]
        let millis = 0
        const cost = await costOf([pid], async () => {
          millis = await work()
          // Includes the runner that replaces it.
          if (pid === gateway.pid) await gateway.idle()
        })
        if (round > 0) measured[name].push({ ...cost, millis })
      }
    }
    const wall = (name: Name) => median(measured[name].map(({ millis }) => millis))
    const cpu = (name: Name) => median(measured[name].map(({ cpuSeconds }) => cpuSeconds * 1000))
    const peak = (name: Name) => Math.max(...measured[name].map(({ peakMiB }) => peakMiB))
    console.log(`${rows} rows, ${threads} threads: wall | CPU of all processes | peak of all processes`)
    for (const name of ["stream", "start", "whole", "bare"] as const) {
      console.log(
        `| ${name} | ${wall(name).toFixed(0)} ms | ${cpu(name).toFixed(0)} ms | ${peak(name).toFixed(0)} MiB |`
      )
    }
    const beyond = (of: (name: Name) => number) => (of("bare") / (of("whole") - of("start"))).toFixed(2)
    console.log(`more than a stream one: ${(wall("start") - wall("stream")).toFixed(0)} ms`)
    console.log(`of DuckDB, beyond the start: ${beyond(wall)} by wall time, ${beyond(cpu)} by CPU`)
  } finally {
    await gateway.stop()
    duck.kill()
    await once(duck, "exit")
    rmSync(folder, { recursive: true, force: true })
  }
}

const [role, threads] = process.argv.slice(2)
if (role === "duckdb") await serve(threads ?? "1")
else onCores(import.meta.filename, compare)
