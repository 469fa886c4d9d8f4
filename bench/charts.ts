import { readFileSync } from "node:fs"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { Client } from "pg"
import * as Postgres from "../src/drivers/search/PostgresSearch.ts"
import { Search } from "../src/drivers/search/Search.ts"
import { parseAggregations } from "../src/languages/query/aggregation/AggregationParser.ts"
import { all } from "../src/languages/query/Query.ts"
import { parseSort } from "../src/languages/query/Sort.ts"
import { startEmbedded } from "../src/layers/postgres/embedded/Embedded.ts"
import { layerFromUrl } from "../src/layers/postgres/Postgres.ts"
import { temporaryFolder } from "../test/support/postgresServer.ts"
import { pinned } from "./measure.ts"

// Aggregations and sorted searches compared with the fastest SQL that a developer who knows the documents would write
// for the same table: the ratio of processor time (of the client and PostgreSQL's backends), alternating, the minimum
// of all rounds. Neither uses parallel workers. `node bench/charts.ts [documents] [rounds]`.

await pinned(import.meta.filename, [1])

const documents = Number(process.argv[2] ?? 200_000)
const rounds = Number(process.argv[3] ?? 5)
const batch = 2000
const index = "bench-access"

const document = (n: number) => ({
  "@timestamp": new Date(1_770_000_000_000 + n * 1000).toISOString(),
  status: 200 + (n % 5) * 100,
  method: n % 3 === 0 ? "POST" : "GET",
  path: `/api/v1/items/${n}?page=${n % 100}`,
  bytes: (n * 7919) % 100_003,
  user: { name: `user-${n % 1000}`, admin: n % 2 === 0 }
})

const hour = "date_trunc('hour', to_timestamp(ts / 1000.0))"
const bytes = "(doc ->> 'bytes')::float8"

/** Each case with its aggregation or order, and its SQL on the table `$`. */
const cases: ReadonlyArray<readonly [name: string, request: object | undefined, sql: string]> = [
  [
    "terms of a number",
    { a: { terms: { field: "status" } } },
    "select doc ->> 'status', count(*) from $ group by 1 order by 2 desc limit 10"
  ],
  [
    "terms of a text",
    { a: { terms: { field: "method" } } },
    "select doc ->> 'method', count(*) from $ group by 1 order by 2 desc limit 10"
  ],
  [
    "terms of a nested boolean",
    { a: { terms: { field: "user.admin" } } },
    "select coalesce(doc #>> '{user,admin}', doc ->> 'user.admin'), count(*) from $ group by 1 order by 2 desc limit 10"
  ],
  [
    "terms of a nested field, 1000 values",
    { a: { terms: { field: "user.name" } } },
    "select coalesce(doc #>> '{user,name}', doc ->> 'user.name'), count(*) from $ group by 1 order by 2 desc limit 10"
  ],
  [
    "terms with avg",
    { a: { terms: { field: "status" }, aggs: { b: { avg: { field: "bytes" } } } } },
    `select status, count(*), avg(bytes) from (
      select doc ->> 'status' as status, ${bytes} as bytes from $ offset 0) as found group by 1 order by 2 desc limit 10`
  ],
  [
    "date histogram",
    { a: { date_histogram: { field: "@timestamp", calendar_interval: "hour" } } },
    `select ${hour}, count(*) from $ group by 1 order by 1`
  ],
  [
    "date histogram with sum",
    {
      a: {
        date_histogram: { field: "@timestamp", calendar_interval: "hour" },
        aggs: { b: { sum: { field: "bytes" } } }
      }
    },
    `select hour, count(*), sum(bytes) from (
      select ${hour} as hour, ${bytes} as bytes from $ offset 0) as found group by 1 order by 1`
  ],
  [
    "stats",
    { a: { stats: { field: "bytes" } } },
    `select count(bytes), min(bytes), max(bytes), avg(bytes), sum(bytes) from (
      select ${bytes} as bytes from $ offset 0) as found`
  ],
  [
    "percentiles",
    { a: { percentiles: { field: "bytes", percents: [50, 95, 99] } } },
    `select percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ${bytes}) from $`
  ],
  [
    "cardinality",
    { a: { cardinality: { field: "path" } } },
    "select count(path) from (select doc ->> 'path' as path from $ group by 1) as paths"
  ],
  [
    "sort by a number",
    undefined,
    "select id, doc::text from (select id, doc from $ order by (doc ->> 'bytes')::numeric desc, id limit 100) as first"
  ]
]

/** Processor milliseconds of a single-threaded process. Linux counts them in nanoseconds. */
const processorMillis = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e6

const program = Effect.gen(function* () {
  const { url } = yield* startEmbedded({ folder: yield* temporaryFolder })
  yield* Layer.build(layerFromUrl(url))
  const client = new Client({ connectionString: Redacted.value(url) })
  client.on("error", () => {})
  yield* Effect.promise(() => client.connect())
  yield* Effect.promise(() => client.query("alter role current_user set max_parallel_workers_per_gather = 0"))
  const config = Layer.succeed(Postgres.SearchConfig, { url, connections: 1 })
  const search = Context.get(yield* Layer.build(Postgres.layer.pipe(Layer.provide(config))), Search)
  for (let from = 0; from < documents; from += batch) {
    const some = Array.from({ length: batch }, (_, n) => ({ id: `d${from + n}`, source: document(from + n) }))
    yield* search.write("bench", index, some)
  }
  const { rows: parts } = yield* Effect.promise(() => client.query<{ part: number }>("select part from search_parts"))
  for (const { part } of parts) yield* Effect.promise(() => client.query(`vacuum analyze search_part_${part}`))
  const table = `(${parts.map(({ part }) => `select ts, id, doc from search_part_${part}`).join(" union all ")}) as found`
  yield* Effect.promise(() => client.query("set jit = off; set max_parallel_workers_per_gather = 0"))

  /** Processor milliseconds of this process and of all backends. */
  const used = Effect.promise(async () => {
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'client backend'"
    )
    const { user, system } = process.cpuUsage()
    return rows.reduce((sum, { pid }) => sum + processorMillis(pid), (user + system) / 1000)
  })
  const costOf = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const before = yield* used
      for (let run = 0; run < 3; run++) yield* work
      return (yield* used) - before
    })

  console.log(
    `${documents} documents in ${parts.length} tables, ${rounds} rounds; processor time of SQL by hand / of the search`
  )
  for (const [name, request, text] of cases) {
    const ours =
      request === undefined
        ? Effect.asVoid(
            search.sorted("bench", index, all, {
              sort: Result.getOrThrow(parseSort([{ bytes: "desc" }], "")),
              from: 0,
              limit: 100,
              bytes: 4 * 2 ** 20
            })
          )
        : Effect.asVoid(search.aggregate("bench", index, all, Result.getOrThrow(parseAggregations(request, 0, ""))))
    const theirs = Effect.promise(() => client.query(text.replaceAll("$", table)))
    const times = { ours: [] as Array<number>, theirs: [] as Array<number> }
    // The first runs include the warm-up of a new process.
    for (let run = 0; run < 20; run++) {
      yield* ours
      yield* theirs
    }
    for (let round = 0; round < rounds; round++) {
      times.ours.push(yield* costOf(ours))
      times.theirs.push(yield* costOf(theirs))
    }
    const [mine, hand] = [Math.min(...times.ours), Math.min(...times.theirs)]
    console.log(
      `${name.padEnd(40)} ${(hand / mine).toFixed(2)}  (${(hand / 3).toFixed(1)} ms / ${(mine / 3).toFixed(1)} ms)`
    )
  }
  yield* Effect.promise(() => client.end())
})

Effect.runPromise(Effect.scoped(program)).then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  }
)
