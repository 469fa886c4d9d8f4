import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { startEmbedded } from "../src/layers/postgres/embedded/Embedded.ts"
import { temporaryFolder } from "../test/support/postgresServer.ts"
import { cpuSecondsOf, median, memoryMiBOf, onCores } from "./measure.ts"
import { endOf } from "./runs.ts"

// An extraction to csv as a client sees it, from the request to the end of its execution, when its archive is complete,
// compared with the same fields in the same order by `psql \copy` (time) and by `psql \copy | zip -6` (processor time).
// The costs are those of all processes, including PostgreSQL. Those of an extraction are its excess over a run that
// does nothing, each with its aftermath, such as the process for the next run. All alternate; the result is the median.
// Needs `psql` and `zip`. `node bench/extraction.ts [documents] [rounds]`.

const documents = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 5)
const index = "mytenant-bench"
const fields = ["@timestamp", "status", "method", "path", "bytes", "user.name"]
const gatewayProgram = fileURLToPath(new URL("../bin/flow-gateway.js", import.meta.url))

const document = (n: number) => ({
  "@timestamp": new Date(1_770_000_000_000 + n * 1000).toISOString(),
  status: 200 + (n % 5) * 100,
  method: n % 3 === 0 ? "POST" : "GET",
  path: `/api/v1/items/${n}?page=${n % 100}`,
  bytes: n * 7,
  user: { name: `user-${n % 1000}`, admin: n % 2 === 0 }
})

const load = {
  runtime: "stream",
  dag: [
    { type: "file_input", settings: { path: "documents.ndjson" }, publish: [{ stream: "read" }] },
    { type: "search_output", settings: { index }, subscribe: [{ component: "file_input", stream: "read" }] }
  ]
}

const nothing = {
  runtime: "stream",
  dag: [
    { type: "generator_input", settings: { messages: ["a"], count: 1 }, publish: [{ stream: "read" }] },
    { type: "show", settings: {}, subscribe: [{ component: "generator_input", stream: "read" }] }
  ]
}

const write = async (path: string) => {
  const file = createWriteStream(path)
  for (let n = 0; n < documents; ) {
    let text = ""
    for (const end = Math.min(documents, n + 1000); n < end; n++) text += `${JSON.stringify(document(n))}\n`
    if (!file.write(text)) await once(file, "drain")
  }
  await once(file.end(), "close")
}

const start = async (folder: string, url: string) => {
  const env = { ...process.env, FLOW_PORT: "0", FLOW_CONF: join(folder, "conf"), FLOW_DATA: join(folder, "data") }
  const child = spawn(process.execPath, [gatewayProgram], {
    env: { ...env, FLOW_DATABASE_URL: url },
    stdio: ["ignore", "pipe", "ignore"]
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /ready (http\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return { child, tenant: `${address}/v1/mytenant` }
  }
  throw new Error("The gateway did not start")
}

const post = async (url: string, body: FormData | string) => {
  const headers: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {}
  const answer = await fetch(url, { method: "POST", headers, body })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as { readonly id: string; readonly execution: string }
}

/** Waits until an execution has succeeded. */
const ended = async (tenant: string, flowline: string, execution: string): Promise<void> => {
  await endOf(`${tenant}/flowline/executions/${execution}/output`)
  const detail = await (await fetch(`${tenant}/flowline/${flowline}/executions/${execution}`)).json()
  const { state, error } = detail as { readonly state: string; readonly error: string }
  if (state !== "SUCCEEDED") throw new Error(error)
}

const psql = (url: string, command: string): string => {
  const { status, stdout } = spawnSync("psql", ["-qAt", "-c", command, url], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8"
  })
  if (status !== 0) throw new Error("psql failed")
  return stdout
}

/** Processor seconds of this process's children that have ended. */
const endedSeconds = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** Waits until processes are almost idle, which takes half a second. Returns their processor seconds so far. */
const settled = async (pids: ReadonlyArray<number>): Promise<number> => {
  for (let before = cpuSecondsOf(pids); ; ) {
    await new Promise((done) => setTimeout(done, 500))
    const now = cpuSecondsOf(pids)
    if (now - before < 0.03) return now
    before = now
  }
}

interface Taken {
  readonly seconds: number
  readonly gateway: number
  readonly postgres: number
  readonly peakMiB: number
}

/** The costs of work in lasting processes, including its aftermath, and in the processes that it starts. */
const costOfAll = async (gateway: number, postgres: number, pids: ReadonlyArray<number>, work: () => Promise<void>) => {
  const [ownBefore, postgresBefore, endedBefore] = [await settled([gateway]), await settled([postgres]), endedSeconds()]
  let peakMiB = memoryMiBOf(pids)
  const sampler = setInterval(() => {
    peakMiB = Math.max(peakMiB, memoryMiBOf(pids))
  }, 250)
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  clearInterval(sampler)
  return {
    seconds,
    gateway: (await settled([gateway])) - ownBefore + endedSeconds() - endedBefore,
    postgres: (await settled([postgres])) - postgresBefore,
    peakMiB
  } satisfies Taken
}

const compare = async (folder: string, url: string, postgres: number) => {
  const conf = join(folder, "conf", "tenants", "mytenant")
  mkdirSync(conf, { recursive: true })
  await write(join(conf, "documents.ndjson"))
  const { child, tenant } = await start(folder, url)
  try {
    const save = async (flowline: object) => {
      const form = new FormData()
      form.set("file", new Blob([JSON.stringify(flowline)]), "flowline.json")
      return post(`${tenant}/flowline`, form)
    }
    const { id: loading } = await save(load)
    await ended(tenant, loading.slice(0, 20), loading)
    psql(url, "vacuum analyze")
    const parts = psql(url, "select part from search_parts order by month").trim().split("\n")
    const union = parts.map((part) => `select ts, id, doc from search_part_${part}`).join(" union all ")
    const columns = fields.map((field) => `doc #>> '{${field.replaceAll(".", ",")}}'`).join(", ")
    const copy = `\\copy (select ${columns} from (${union}) as found order by ts, id) to stdout with (format csv)`
    const request = JSON.stringify({ index, format: "csv", fields: fields.map((name) => ({ name })), filters: {} })

    const gateway = child.pid ?? 0
    const extract = async () => {
      const { id, execution } = await post(`${tenant}/extraction`, request)
      await ended(tenant, id, execution)
      return execution
    }
    const doNothing = async () => {
      const { id } = await save(nothing)
      await ended(tenant, id.slice(0, 20), id)
    }
    const command = async (line: string) => {
      const process: ChildProcess = spawn("sh", ["-c", line], { stdio: ["ignore", "ignore", "inherit"] })
      const [code] = await once(process, "exit")
      if (code !== 0) throw new Error(`${line} ended with ${code}`)
    }
    const quoted = `psql -qAt -c "${copy}" '${url}'`
    const zipped = join(folder, "reference.zip")
    const ways: Record<string, () => Promise<Taken>> = {
      extraction: () => costOfAll(gateway, postgres, [gateway, postgres], async () => void (await extract())),
      nothing: () => costOfAll(gateway, postgres, [gateway, postgres], doNothing),
      copy: () => costOfAll(gateway, postgres, [postgres], () => command(`${quoted} > /dev/null`)),
      zip: () => costOfAll(gateway, postgres, [postgres], () => command(`${quoted} | zip -q -6 > '${zipped}'`))
    }
    const names = Object.keys(ways)
    // Fills the caches of both sides.
    const archive = await extract()
    await ways["zip"]?.()
    const size = (await (await fetch(`${tenant}/archives/${archive}`)).arrayBuffer()).byteLength
    const taken = new Map<string, Array<Taken>>(names.map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) taken.get(name)?.push(await ways[name]!())
    }
    const of = (name: string, value: (taken: Taken) => number) => median(taken.get(name)!.map(value))
    console.log("what | seconds | CPU of all | of it PostgreSQL's | peak MiB")
    for (const name of names) {
      const cpu = of(name, (one) => one.gateway + one.postgres)
      const own = of(name, ({ postgres }) => postgres)
      const [seconds, peak] = [of(name, ({ seconds }) => seconds), of(name, ({ peakMiB }) => peakMiB)]
      console.log(`${name} | ${seconds.toFixed(2)} | ${cpu.toFixed(2)} | ${own.toFixed(2)} | ${peak.toFixed(0)}`)
    }
    const cpu = ({ gateway, postgres }: Taken) => gateway + postgres
    const beyond = of("extraction", cpu) - of("nothing", cpu)
    console.log(`CPU beyond a run that does nothing ${beyond.toFixed(2)}: ${(beyond / of("zip", cpu)).toFixed(2)} x`)
    const seconds = (one: Taken) => one.seconds
    console.log(`time, \\copy / extraction: ${(of("copy", seconds) / of("extraction", seconds)).toFixed(2)} x`)
    console.log(`archive ${(size / 1e6).toFixed(2)} MB, zip -6 ${(statSync(zipped).size / 1e6).toFixed(2)} MB`)
  } finally {
    child.kill("SIGTERM")
    await once(child, "exit")
  }
}

onCores(import.meta.filename, () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const { url, pid } = yield* startEmbedded({ folder: join(folder, "postgres") })
        const server = pid()
        if (server === undefined) return yield* Effect.die("PostgreSQL does not run")
        yield* Effect.promise(() => compare(folder, Redacted.value(url), server))
      })
    )
  )
)
