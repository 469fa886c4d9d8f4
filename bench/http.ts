import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import pg from "pg"
import { startEmbedded } from "../src/layers/postgres/Embedded.ts"
import { credentialCosts } from "./credentials.ts"
import { type Load, load, type Server, startServers } from "./servers.ts"

// Small requests against what a team would write instead: a JSON GET against bare node:http and Fastify, a one-row read
// and a list of 200 rows against Fastify with pg on the same PostgreSQL. Every server is a process of its own; rounds
// alternate, and so does who begins; medians count.
//
// What each does for a request, beside the answer (the same body; status, type, length, Date and keep-alive as its head):
// - the gateway: a log line with method, path, status, time and address to a file; a histogram by route and status; its
//   limits and timeouts; for a row an ETag and whether the tenant exists as well
// - Fastify: two log lines of pino (as comes with it) to a file through a stream, the fastest way of four that were
//   tried; a response schema for the GET and the list; prepared statements, 10 connections
// - bare node:http: nothing
//
// Then what each credential costs the GET (bench/credentials.ts; BENCH_ONLY=credential for this alone).
// BENCH_OTHER names another checkout, whose gateway is compared with this one's.

const seconds = Number(process.env["BENCH_SECONDS"] ?? 3)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
chmodSync(folder, 0o711)
const servers = startServers(folder)
const only = process.env["BENCH_ONLY"] ?? ""

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
const report = (what: string, ratios: ReadonlyArray<number>, target: string, detail: string) =>
  console.log(`${what.padEnd(58)} ${median(ratios).toFixed(2).padStart(6)}   ${target.padStart(6)}   ${detail}`)

const compare = async (
  what: string,
  path: string,
  ours: Server,
  reference: Server,
  target: string,
  by: "rate" | "processor"
) => {
  if (!what.includes(only)) return
  const own: Array<Load> = []
  const theirs: Array<Load> = []
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => own.push(await load(ours, path, {}, { duration: seconds })),
      async () => theirs.push(await load(reference, path, {}, { duration: seconds }))
    ]
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
  }
  const ratio = (index: number) =>
    by === "rate"
      ? own[index]!.requestsPerSecond / theirs[index]!.requestsPerSecond
      : theirs[index]!.microsPerRequest / own[index]!.microsPerRequest
  const each = (loads: ReadonlyArray<Load>) =>
    `${Math.round(median(loads.map((load) => load.requestsPerSecond)))}/s ${median(loads.map((load) => load.microsPerRequest)).toFixed(0)} µs`
  report(
    what,
    own.map((_, index) => ratio(index)),
    target,
    `${each(own)} against ${each(theirs)}`
  )
}

const scope = Effect.runSync(Scope.make())
try {
  const { url } = await Effect.runPromise(Scope.provide(startEmbedded({ folder }), scope))
  const database = Redacted.value(url)
  const flags = (process.env["BENCH_NODE"] ?? "").split(" ").filter((flag) => flag !== "")
  const variables = { FLOW_DATA: join(folder, "data"), FLOW_DATABASE_URL: database, FLOW_PORT: "0" }
  const ours = await servers.start([...flags, "src/main.ts"], { env: variables })
  const form = new FormData()
  form.set("file", new Blob([readFileSync("examples/conf/tenants/mytenant/flowlines/apache-access.yaml")]), "f.yaml")
  const saved = await fetch(`${ours.url}/v1/mytenant/flowline/save`, { method: "POST", body: form })
  const { id } = (await saved.json()) as { id: string }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query(`
    insert into executions (tenant, id, flowline_id, version, runtime, state, job_id, started_at, ended_at, event, event_at)
    select 'mytenant', '${id}-' || n, '${id}', 1, 'stream', 'SUCCEEDED', 'host:' || n, now(), now(),
      'stream.application.end', now() from generate_series(1, 10000) n`)
  await client.query("analyze")
  await client.end()
  const raw = await servers.start(["bench/references.ts", "raw"])
  const fastify = await servers.start(["bench/references.ts", "fastify", "", join(folder, "fastify.log")])
  const fastifyPg = await servers.start(["bench/references.ts", "fastify-pg", database, join(folder, "fastify-pg.log")])

  console.log(`Node ${process.versions.node}, ${rounds} rounds of ${seconds} s, 64 connections`)
  console.log(`${"what".padEnd(58)} ${"ratio".padStart(6)}   ${"target".padStart(6)}`)
  const tenant = "/v1/platform/tenant"
  const other = process.env["BENCH_OTHER"]
  const changed = "JSON GET / that of another checkout (processor time)"
  if (other !== undefined && changed.includes(only)) {
    // Of its own, as the data folder and the database are another gateway's.
    const own = join(folder, "other")
    const database = await Effect.runPromise(Scope.provide(startEmbedded({ folder: `${own}-postgres` }), scope))
    const env = { ...variables, FLOW_DATA: own, FLOW_DATABASE_URL: Redacted.value(database.url) }
    const before = await servers.start([...flags, join(other, "src/main.ts")], { env })
    await compare(changed, tenant, ours, before, "0.95", "processor")
  }
  await compare("JSON GET / bare node:http (rate)", tenant, ours, raw, "0.55", "rate")
  await compare("JSON GET / Fastify with logger (rate)", tenant, ours, fastify, "1.0", "rate")
  await compare("one-row read / Fastify + pg (rate)", `/v1/mytenant/flowline/${id}`, ours, fastifyPg, "1.3", "rate")
  await compare(
    "list of 200 rows / Fastify + pg (processor time of theirs / ours)",
    "/v1/mytenant/flowline/executions?limit=200",
    ours,
    fastifyPg,
    "1.5",
    "processor"
  )
} finally {
  await servers.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
}
if ("credential".includes(only)) await credentialCosts(8 * rounds, 20_000)
