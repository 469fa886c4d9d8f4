import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import pg from "pg"
import { startEmbedded } from "../src/layers/postgres/embedded/Embedded.ts"
import { credentialCosts } from "./credentials.ts"
import { median, memoryMiBOf, onCores } from "./measure.ts"
import { type Load, load, type Server, startServers } from "./servers.ts"

// Small requests and lists compared with the code that a team would write instead, from 64 connections. Every server is
// a separate process. The rounds alternate, also in which side starts; the result is the median. The processor time is
// that of the server with all its threads and of PostgreSQL, which both sides share, without that of the client.
//
// The work of each per request, besides the answer (with the same members; status, type, length, Date and keep-alive as
// its head):
// - the gateway: a log line with method, path, status, time and address to a file; a histogram by route and status; its
//   limits and timeouts; a tag for revalidation; the link to the next page; whether the tenant exists
// - Fastify: two log lines of pino, its default logger, to a file through a stream, the fastest of four ways that were
//   tried; a response schema for the GET and the list; prepared statements, 10 connections
// - `node:http` with `pg`: the list as JSON made by PostgreSQL in one prepared statement, and the link to the next page
// - an endpoint of Effect's `HttpApi` alone: its schema
// - bare `node:http`: nothing
//
// Then the cost of each credential in the GET (bench/credentials.ts; BENCH_ONLY=credential for this alone).
// BENCH_OTHER names another checkout, whose gateway is compared with this one's.

const seconds = Number(process.env["BENCH_SECONDS"] ?? 3)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const only = process.env["BENCH_ONLY"] ?? ""
const tenant = "mytenant"

interface Side {
  readonly name: string
  readonly server: Server
}

const line = (...cells: ReadonlyArray<string>) =>
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(40) : cell.padStart(12))).join(""))

/** `database` is the process of PostgreSQL, if it takes part. */
const compare = async (
  what: string,
  path: string | ReadonlyArray<string>,
  sides: readonly [Side, Side],
  database?: number
) => {
  if (!what.includes(only)) return
  const helpers = database === undefined ? [] : [database]
  const loads = new Map<Side, Array<Load>>(sides.map((side) => [side, []]))
  const idle = sides.map(({ server }) => memoryMiBOf([server.pid, ...helpers]))
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const more = { duration: round < 0 ? 2 : seconds }
      const measured = await load(side.server, path, {}, more, helpers)
      if (round >= 0) loads.get(side)?.push(measured)
    }
  }
  line(what, "µs CPU", "requests/s", "p99 ms", "peak MiB", "growth MiB")
  for (const [at, side] of sides.entries()) {
    const of = (value: (load: Load) => number) => (loads.get(side) ?? []).map(value)
    line(
      `  ${side.name}`,
      median(of((one) => one.microsPerRequest)).toFixed(1),
      median(of((one) => one.requestsPerSecond)).toFixed(0),
      median(of((one) => one.p99)).toFixed(0),
      Math.max(...of((one) => one.peakMiB)).toFixed(0),
      (Math.max(...of((one) => one.peakMiB)) - (idle[at] ?? Number.NaN)).toFixed(0)
    )
  }
  const [own, theirs] = sides.map((side) => loads.get(side) ?? [])
  const ratios = own!.map((one, at) => one.microsPerRequest / theirs![at]!.microsPerRequest)
  const each = ratios.map((one) => one.toFixed(2)).join(" ")
  line("  ours / theirs by CPU", median(ratios).toFixed(2), `  (${each})`)
}

/** A flowline with executions, and a tenant with 300 flowlines. */
const fill = async (url: string, database: string): Promise<string> => {
  const flowline = readFileSync(`examples/conf/tenants/${tenant}/flowlines/apache-access.yaml`)
  let id = ""
  for (let count = 0; count < 300; count++) {
    const form = new FormData()
    form.set("file", new Blob([flowline]), "f.yaml")
    const saved = await fetch(`${url}/v1/${tenant}/flowline/save`, { method: "POST", body: form })
    id = ((await saved.json()) as { readonly id: string }).id
  }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query(`
    insert into executions (tenant, id, flowline_id, version, runtime, state, job_id, started_at, ended_at, event, event_at)
    select '${tenant}', '${id}-' || n, '${id}', 1, 'stream', 'SUCCEEDED', 'host:' || n, now(), now(),
      'stream.application.end', now() from generate_series(1, 10000) n`)
  await client.query("vacuum analyze")
  await client.end()
  return id
}

onCores("bench/http.ts", async (cores) => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  chmodSync(folder, 0o711)
  const servers = startServers(folder)
  const scope = Effect.runSync(Scope.make())
  const start = (folder: string) => Effect.runPromise(Scope.provide(startEmbedded({ folder }), scope))
  try {
    const database = await start(folder)
    const url = Redacted.value(database.url)
    const flags = (process.env["BENCH_NODE"] ?? "").split(" ").filter((flag) => flag !== "")
    const variables = { FLOW_DATA: join(folder, "data"), FLOW_DATABASE_URL: url, FLOW_PORT: "0" }
    const ours = {
      name: "the gateway",
      server: await servers.start([...flags, "bin/flow-gateway.js"], { env: variables })
    }
    const id = await fill(ours.server.url, url)
    const reference = async (name: string, kind: string) => {
      const server = await servers.start(["bench/references.ts", kind, url, join(folder, `${kind}.log`)])
      return { name, server }
    }

    console.log(`Node ${process.versions.node}, ${rounds} rounds of ${seconds} s, 64 connections`)
    const small = "/v1/platform/tenant"
    const other = process.env["BENCH_OTHER"]
    const changed = "JSON GET, another checkout"
    if (other !== undefined && changed.includes(only)) {
      // A separate one, because the data folder and database belong to another gateway.
      const data = join(folder, "other")
      const { url } = await start(`${data}-postgres`)
      const env = { ...variables, FLOW_DATA: data, FLOW_DATABASE_URL: Redacted.value(url) }
      const before = await servers.start([...flags, join(other, "bin/flow-gateway.js")], { env })
      await compare(changed, small, [ours, { name: "the other", server: before }])
    }
    const fastify = await reference("Fastify with its logger", "fastify")
    await compare("JSON GET with access log", small, [ours, fastify])
    // The query sends the request to the routes, the path of all answers that can change.
    await compare("JSON GET through the routes", `${small}?`, [ours, fastify])
    const effect = await reference("HttpApi alone", "effect")
    await compare("JSON GET, an endpoint alone", small, [ours, effect])
    await compare("JSON GET, bare", small, [ours, await reference("bare node:http", "raw")])
    const pid = database.pid()
    const fastifyPg = await reference("Fastify + pg", "fastify-pg")
    await compare("a row", `/v1/${tenant}/flowline/${id}`, [ours, fastifyPg], pid)
    const executions = `/v1/${tenant}/flowline/executions?limit=200`
    await compare("a list of 200 executions", executions, [ours, fastifyPg], pid)
    const nodePg = await reference("node:http + pg", "node-pg")
    await compare("a list of 200 flowlines", `/v1/${tenant}/flowline?limit=200`, [ours, nodePg], pid)
    const different = Array.from({ length: 64 }, (_, at) => `/v1/${tenant}/flowline?limit=${169 + at}`)
    await compare("a list of 169 to 232, each another", different, [ours, nodePg], pid)
    await compare("a list of all 300 flowlines", `/v1/${tenant}/flowline`, [ours, nodePg], pid)
  } finally {
    await servers.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
  if (cores > 1 && "credential".includes(only)) await credentialCosts(8 * rounds, 20_000)
})
