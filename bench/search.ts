import { spawn } from "node:child_process"
import { once } from "node:events"
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../src/drivers/search/PostgresSearch.ts"
import { Search } from "../src/drivers/search/Search.ts"
import type { Key } from "../src/languages/query/IndexedDocument.ts"
import { all } from "../src/languages/query/Query.ts"
import { startEmbedded } from "../src/layers/postgres/Embedded.ts"
import { layerFromUrl } from "../src/layers/postgres/Postgres.ts"
import type { RunContext } from "../src/nodes/Node.ts"
import { sha256 } from "../src/run/SearchClient.ts"
import { documentsOf } from "../src/run/SearchDocuments.ts"
import { pipeline } from "../src/run/stream/Pipeline.ts"
import { temporaryFolder } from "../test/support/postgresServer.ts"
import { type Cost, costOf, median, memoryMiBOf, pinned } from "./measure.ts"

// Documents into the search and out of it, against `psql \copy` of the same fields in the same order, alternated.
// `node bench/search.ts [documents] [rounds]`; without psql only the rates are shown.

await pinned(import.meta.filename)

const documents = Number(process.argv[2] ?? 200_000)
const rounds = Number(process.argv[3] ?? 3)
const batch = 2000
const index = "bench-access"
const fields = ["@timestamp", "status", "method", "path", "bytes", "user.name"]

const document = (n: number) => ({
  "@timestamp": new Date(1_770_000_000_000 + n * 1000).toISOString(),
  status: 200 + (n % 5) * 100,
  method: n % 3 === 0 ? "POST" : "GET",
  path: `/api/v1/items/${n}?page=${n % 100}`,
  bytes: n * 7,
  user: { name: `user-${n % 1000}`, admin: n % 2 === 0 }
})

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
const rate = (time: number): string => `${Math.round(documents / time).toLocaleString("en")}/s`

const psql = async (url: string, query: string): Promise<boolean> => {
  const child = spawn("psql", ["-q", "-c", `\\copy (${query}) to stdout with (format csv)`, url], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  child.stdout.on("data", () => {})
  const failed = once(child, "error").then(() => false)
  return Promise.race([once(child, "close").then(([code]) => code === 0), failed])
}

/** An extraction as a run does it, but for the zip. */
const extraction = async (search: Search["Service"]) => {
  const stop = new AbortController()
  const refuse = () => {
    throw new Error("not here")
  }
  const context = (): RunContext => ({
    filesIn: refuse,
    glob: refuse,
    read: refuse,
    open: refuse,
    parquet: refuse,
    tail: refuse,
    position: { load: () => undefined },
    savePositions: () => {},
    network: { tcp: refuse, udp: refuse, http: refuse, post: refuse, get: refuse },
    documents: documentsOf(search, "bench", stop.signal),
    sha256,
    file: refuse,
    archiveEntry: async () => ({ write: () => {}, close: async () => {} }),
    print: () => {},
    reject: () => {},
    signal: stop.signal
  })
  const node = { subscribe: [], publish: [] }
  await pipeline(
    {
      runtime: "stream",
      settings: {},
      dag: [
        {
          ...node,
          type: "search_input",
          settings: { index, fields, values: "text", count: true },
          publish: [{ stream: "found" }]
        },
        {
          ...node,
          type: "extraction_output",
          settings: { index, format: "csv", fields: fields.map((name) => ({ name })) },
          subscribe: [{ component: "search_input", stream: "found" }]
        }
      ]
    },
    context
  ).run()
}

const program = Effect.gen(function* () {
  const { url } = yield* startEmbedded({ folder: yield* temporaryFolder })
  const database = yield* Layer.build(layerFromUrl(url))
  const config = Layer.succeed(Postgres.SearchConfig, { url, connections: 6 })
  const search = Context.get(yield* Layer.build(Postgres.layer.pipe(Layer.provide(config))), Search)
  const sql = Context.get(database, SqlClient.SqlClient)
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

  const parts = Array.from({ length: documents / batch }, (_, part) => part)
  const costing = (work: () => Promise<unknown>) => Effect.promise(() => costOf([process.pid], work))
  const writing = yield* costing(() =>
    run(
      Effect.forEach(
        parts,
        (part) =>
          search.write(
            "bench",
            index,
            Array.from({ length: batch }, (_, n) => ({ source: document(part * batch + n) }))
          ),
        { concurrency: 2, discard: true }
      )
    )
  )
  const each = ((writing.cpuSeconds / documents) * 1e6).toFixed(1)
  console.log(
    `write     ${rate(writing.seconds)}, ${each} us of processor each (two writers, ${batch} documents each time, durable)`
  )

  const tables = yield* sql<{ part: number }>`select part from search_parts order by month`
  for (const { part } of tables) yield* sql`vacuum analyze ${sql(`search_part_${part}`)}`
  const columns = fields.map((field) => `doc #>> '{${field.replaceAll(".", ",")}}'`).join(", ")
  const union = tables.map(({ part }) => `select ts, id, doc from search_part_${part}`).join(" union all ")
  const query = `select ${columns} from (${union}) as found order by ts, id`

  const costs = { ours: [] as Array<Cost>, psql: [] as Array<Cost>, read: [] as Array<Cost> }
  const before = memoryMiBOf([process.pid])
  for (let round = 0; round < rounds; round++) {
    costs.ours.push(yield* costing(() => extraction(search)))
    let done = true
    const theirs = yield* costing(async () => {
      done = await psql(Redacted.value(url), query)
    })
    if (done) costs.psql.push(theirs)
    costs.read.push(yield* costing(() => run(Stream.runDrain(search.read("bench", index, all)))))
  }
  const secondsOf = (some: ReadonlyArray<Cost>) => median(some.map(({ seconds }) => seconds))
  const micros = (some: ReadonlyArray<Cost>) =>
    `${((median(some.map(({ cpuSeconds }) => cpuSeconds)) / documents) * 1e6).toFixed(2)} us of processor each`
  const [ours, theirs] = [secondsOf(costs.ours), secondsOf(costs.psql)]
  console.log(`csv       ${rate(ours)}, ${micros(costs.ours)}`)
  if (costs.psql.length > 0) {
    console.log(`psql      ${rate(theirs)}, ${micros(costs.psql)}: ${(theirs / ours).toFixed(2)} x by wall`)
  }
  console.log(`documents ${rate(secondsOf(costs.read))}, ${micros(costs.read)}`)
  const peak = Math.max(...Object.values(costs).flatMap((some) => some.map(({ peakMiB }) => peakMiB)))
  console.log(`memory    +${Math.round(peak - before)} MiB while reading, PostgreSQL's included`)

  const last = yield* Stream.runLast(search.read("bench", index, all))
  const page = (after?: Key) =>
    Effect.promise(async () => {
      const taken: Array<number> = []
      for (let n = 0; n < 30; n++)
        taken.push(await seconds(() => run(search.page("bench", index, all, { limit: 100, bytes: 2 ** 22, after }))))
      return median(taken) * 1000
    })
  const end = last._tag === "Some" ? { ...last.value, at: String(Number(last.value.at) - 200_000) } : undefined
  const [first, atEnd] = [yield* page(), yield* page(end)]
  console.log(`page      first ${first.toFixed(2)} ms, at the end ${atEnd.toFixed(2)} ms`)
})

await Effect.runPromise(Effect.scoped(program))
