import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { startEmbedded } from "../src/layers/postgres/Embedded.ts"
import { temporaryFolder } from "../test/support/postgresServer.ts"

// An extraction to csv as a client sees it, from the request to the end of its execution, when its archive is there,
// against `psql \copy` of the same fields in the same order, alternated; medians count. It needs `psql`.
// `node bench/extraction.ts [documents] [rounds]`.

const documents = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 5)
const index = "mytenant-bench"
const fields = ["@timestamp", "status", "method", "path", "bytes", "user.name"]
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const document = (n: number) => ({
  "@timestamp": new Date(1_770_000_000_000 + n * 1000).toISOString(),
  status: 200 + (n % 5) * 100,
  method: n % 3 === 0 ? "POST" : "GET",
  path: `/api/v1/items/${n}?page=${n % 100}`,
  bytes: n * 7,
  user: { name: `user-${n % 1000}`, admin: n % 2 === 0 }
})

const flowline = {
  runtime: "stream",
  dag: [
    { type: "file_input", settings: { path: "documents.ndjson" }, publish: [{ stream: "read" }] },
    { type: "search_output", settings: { index }, subscribe: [{ component: "file_input", stream: "read" }] }
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
  const child = spawn(process.execPath, [main], {
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

/** Waits for the end of an execution; asking costs the gateway some, so it is not asked all the time. */
const ended = async (url: string): Promise<void> => {
  for (;;) {
    const { state, error } = (await (await fetch(url)).json()) as { readonly state: string; readonly error: string }
    if (state === "SUCCEEDED") return
    if (state !== "PENDING" && state !== "RUNNING") throw new Error(error)
    await new Promise((done) => setTimeout(done, 10))
  }
}

const seconds = async (work: () => unknown): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

const psql = (url: string, command: string): string => {
  const { status, stdout } = spawnSync("psql", ["-qAt", "-c", command, url], {
    stdio: ["ignore", command.startsWith("\\copy") ? "ignore" : "pipe", "inherit"],
    encoding: "utf8"
  })
  if (status !== 0) throw new Error("psql failed")
  return stdout
}

/** The largest memory of the processes that a gateway has started, in MiB: runs among them. */
const memoryOf = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)
  const sizes = children.map((child) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, "utf8"))?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  })
  return Math.max(0, ...sizes)
}

const compare = async (folder: string, url: string) => {
  const conf = join(folder, "conf", "tenants", "mytenant")
  mkdirSync(conf, { recursive: true })
  await write(join(conf, "documents.ndjson"))
  const { child, tenant } = await start(folder, url)
  try {
    const form = new FormData()
    form.set("file", new Blob([JSON.stringify(flowline)]), "load.json")
    const loading = await post(`${tenant}/flowline`, form)
    await ended(`${tenant}/flowline/${loading.id.slice(0, 20)}/executions/${loading.id}`)
    psql(url, "vacuum analyze")
    const parts = psql(url, "select part from search_parts order by month").trim().split("\n")
    const union = parts.map((part) => `select ts, id, doc from search_part_${part}`).join(" union all ")
    const columns = fields.map((field) => `doc #>> '{${field.replaceAll(".", ",")}}'`).join(", ")
    const copy = `\\copy (select ${columns} from (${union}) as found order by ts, id) to stdout with (format csv)`

    const request = JSON.stringify({ index, format: "csv", fields: fields.map((name) => ({ name })), filters: {} })
    const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryOf(child.pid!))
    }, 20)
    for (let round = 0; round < rounds; round++) {
      const taken = await seconds(async () => {
        const { id, execution } = await post(`${tenant}/extraction`, request)
        await ended(`${tenant}/flowline/${id}/executions/${execution}`)
      })
      ours.push(taken)
      theirs.push(await seconds(() => psql(url, copy)))
      console.log(`round ${round + 1}: ${taken.toFixed(2)} s, psql ${theirs.at(-1)?.toFixed(2)} s`)
    }
    clearInterval(watch)
    const ratio = (median(theirs) / median(ours)).toFixed(2)
    console.log(`extraction ${median(ours).toFixed(2)} s, psql \\copy ${median(theirs).toFixed(2)} s: ${ratio} x`)
    console.log(`memory     ${Math.round(peak)} MiB at most in the process of a run`)
  } finally {
    child.kill("SIGTERM")
    await once(child, "exit")
  }
}

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { url } = yield* startEmbedded({ folder: join(folder, "postgres") })
      yield* Effect.promise(() => compare(folder, Redacted.value(url)))
    })
  )
)
