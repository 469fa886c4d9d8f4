import { Context, Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../src/drivers/search/PostgresSearch.ts"
import { Search } from "../src/drivers/search/Search.ts"
import type { Key } from "../src/languages/query/IndexedDocument.ts"
import { all } from "../src/languages/query/Query.ts"
import { startEmbedded } from "../src/layers/postgres/embedded/Embedded.ts"
import { layerFromUrl } from "../src/layers/postgres/Postgres.ts"
import { temporaryFolder } from "../test/support/postgresServer.ts"
import { type Cost, costOf, median, memoryMiBOf, pinned } from "./measure.ts"

// Documents into and out of the search, and the last page compared with the first. `extraction.ts` measures whole
// extractions. `node bench/search.ts [documents] [rounds]`.

await pinned(import.meta.filename)

const documents = Number(process.argv[2] ?? 200_000)
const rounds = Number(process.argv[3] ?? 3)
const batch = 2000
const index = "bench-access"

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
  const costs: Array<Cost> = []
  const before = memoryMiBOf([process.pid])
  for (let round = 0; round < rounds; round++) {
    costs.push(yield* costing(() => run(Stream.runDrain(search.read("bench", index, all)))))
  }
  const read = median(costs.map(({ cpuSeconds }) => cpuSeconds)) / documents
  const time = median(costs.map(({ seconds }) => seconds))
  console.log(`documents ${rate(time)}, ${(read * 1e6).toFixed(2)} us of processor each`)
  const peak = Math.max(...costs.map(({ peakMiB }) => peakMiB))
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
