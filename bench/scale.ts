import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { startBundled } from "../src/drivers/Programs.ts"
import * as PostgresSearch from "../src/drivers/search/PostgresSearch.ts"
import { Search } from "../src/drivers/search/Search.ts"
import { versionKey } from "../src/services/artifacts/VersionKey.ts"
import * as Retention from "../src/services/retention/Retention.ts"
import { gateway } from "../test/support/gateway.ts"
import { startTestServer } from "../test/support/postgresServer.ts"
import { startProcess, temporary } from "../test/support/process-gateway.ts"
import { pinned } from "./measure.ts"
import { created, reads, type Sizes, tenant } from "./scaleReads.ts"

// A gateway with years of history compared with one with a day's: the same reads, alternating, medians. Then retention
// limits the history while more is written, and the size of the database is recorded. `BENCH_SCALE` is a factor on all
// sizes: 1 is 1 M executions with 10 M events and 20 M lines of output, 10,000 flowlines, 100,000 artifacts, 100,000
// archives, 100,000 registry files and 10 M documents, which takes about 30 GB.

const scale = Number(process.env["BENCH_SCALE"] ?? 1)
await pinned(import.meta.filename)

const requests = Number(process.env["BENCH_REQUESTS"] ?? 100)

const full: Sizes = {
  executions: Math.round(1_000_000 * scale),
  flowlines: Math.round(10_000 * scale),
  artifacts: Math.round(100_000 * scale),
  documents: Math.round(10_000_000 * scale)
}
const small: Sizes = { executions: 100, flowlines: 10, artifacts: 10, documents: 1000 }

const eventsOfEach = 10
const linesOfEach = 20
const atOnce = 20_000

/** Executes a statement for each range of at most `atOnce` numbers below `count`. */
const inRanges = <E, R>(count: number, work: (from: number, to: number) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    for (let from = 0; from < count; from += atOnce) {
      yield* work(from, Math.min(count, from + atOnce) - 1)
      if (from % (10 * atOnce) === 0 && from > 0) console.log(`${new Date().toISOString()} ${from} rows`)
    }
  })

const document = (n: number) => ({
  id: String(n),
  source: {
    "@timestamp": new Date(1_770_000_000_000 + n * 1000).toISOString(),
    status: 200 + (n % 5) * 100,
    path: `/api/v1/items/${n}`,
    message: `request ${n} of user ${n % 1000}`
  }
})

const dag = JSON.stringify({ runtime: "stream", settings: {}, dag: [{ type: "show", subscribe: [], publish: [] }] })

const addExecutions = (first: number, count: number, flowlines: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* inRanges(count, (from, to) =>
      Effect.gen(function* () {
        const range = sql`generate_series(${first + from}::bigint, ${first + to}::bigint) n`
        yield* sql`
          insert into executions (tenant, id, flowline_id, version, runtime, state, lines, output_bytes, created_at, started_at, event, event_at)
          select ${tenant}, 'f' || n % ${flowlines}::bigint || '-' || n, 'f' || n % ${flowlines}::bigint, 1, 'stream',
            'RUNNING', ${linesOfEach}, ${linesOfEach * 100}, ${created}::timestamptz + n * interval '1 second', now() - interval '1 minute', 'stream.application.end', now() from ${range}`
        yield* sql`
          insert into execution_events (tenant, execution_id, seq, event, at)
          select ${tenant}, 'f' || n % ${flowlines}::bigint || '-' || n, seq, 'stream.application.start', now()
          from ${range}, generate_series(1, ${eventsOfEach}::integer) seq`
        yield* sql`
          insert into execution_output (tenant, execution_id, seq, at, component, text)
          select ${tenant}, 'f' || n % ${flowlines}::bigint || '-' || n, seq, now(), 'show', repeat('x', 60)
          from ${range}, generate_series(1, ${linesOfEach}::integer) seq`
        // Sets the end by an update, as the gateway does, because the update counts the execution.
        yield* sql`
          update executions set state = case when n % 1000 = 0 then 'FAILED' else 'SUCCEEDED' end,
            outcome = case when n % 1000 = 0 then null when n % 500 = 7 then 'nothing' else 'ok' end,
            counts = '{"read":20,"written":20,"rejected":0,"dropped":0}', ended_at = now() + n * interval '1 microsecond'
          from ${range} where tenant = ${tenant} and id = 'f' || n % ${flowlines}::bigint || '-' || n`
      })
    )
  })

const fillTables = Effect.fnUntraced(function* ({ executions, flowlines, artifacts }: Sizes) {
  const sql = yield* SqlClient.SqlClient
  const zero = "0".repeat(64)
  yield* sql`insert into flowlines (tenant, id, version, saved)
    select ${tenant}, 'f' || n, 1, true from generate_series(0, ${flowlines - 1}::integer) n`
  yield* sql`insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
    select ${tenant}, 'f' || n, 1, ${dag}, 'p', now() from generate_series(0, ${flowlines - 1}::integer) n`
  yield* addExecutions(0, executions, flowlines)
  const key = versionKey("1.0.0")
  yield* inRanges(artifacts, (from, to) =>
    Effect.gen(function* () {
      const range = sql`generate_series(${from}::integer, ${to}::integer) n`
      yield* sql`insert into artifacts select ${tenant}, 'group.' || n / 1000, 'artifact-' || n, ${key} from ${range}`
      yield* sql`insert into artifact_versions select ${tenant}, 'group.' || n / 1000, 'artifact-' || n, ${key}, '1.0.0',
        'FILE', json_build_object('group', 'group.' || n / 1000, 'artifact', 'artifact-' || n, 'version', '1.0.0', 'type',
        'FILE', 'file', 'f', 'createdAt', '2026-01-01T00:00:00.000Z', 'size', 1, 'sha256', ${zero}::text)::text, '{}',
        ${zero}, 1 from ${range}`
      yield* sql`insert into archives (tenant, id, flowline_id, sha256, size, entries)
        select ${tenant}, 'a-' || n, 'f0', ${zero}, 1, 1 from ${range}`
      yield* sql`insert into registry_paths (tenant, path, version) select ${tenant}, 'files/' || n, 1 from ${range}`
      yield* sql`insert into registry_versions (tenant, path, version, sha256, size)
        select ${tenant}, 'files/' || n, 1, ${zero}, 1 from ${range}`
    })
  )
})

const fillSearch = Effect.fnUntraced(function* (documents: number) {
  const search = yield* Search
  for (let from = 0; from < documents; from += 5000) {
    const some = Array.from({ length: Math.min(5000, documents - from) }, (_, at) => document(from + at))
    yield* search.write(tenant, `${tenant}-access`, some)
    if (from % 500_000 === 0 && from > 0) console.log(`${new Date().toISOString()} ${from} documents`)
  }
})

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const time = async (url: string, body: string | undefined): Promise<number> => {
  const began = performance.now()
  const answer = await fetch(
    url,
    body === undefined ? {} : { method: "POST", body, headers: { "content-type": "application/json" } }
  )
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return performance.now() - began
}

/** A gateway in a separate process, on a filled database of its own. */
const filled = Effect.fnUntraced(function* (sizes: Sizes) {
  const database = yield* startTestServer
  const data = yield* temporary
  // As `npm start` runs it, without the source files.
  startBundled()
  const started = startProcess({
    FLOW_DATA: data,
    FLOW_DATABASE_URL: Redacted.value(database),
    FLOW_RETENTION: "off",
    FLOW_LOG: "warn"
  })
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      started.process.kill("SIGTERM")
      return started.exit
    })
  )
  const { url } = yield* Effect.promise(started.ready)
  const sql = yield* PgClient.make({ url: database })
  const search = PostgresSearch.layer.pipe(
    Layer.provide(Layer.succeed(PostgresSearch.SearchConfig, { url: database, connections: 2 }))
  )
  const began = performance.now()
  yield* Effect.all([fillTables(sizes), fillSearch(sizes.documents)], { concurrency: 2, discard: true }).pipe(
    Effect.provide(search),
    Effect.provideService(SqlClient.SqlClient, sql)
  )
  yield* sql`analyze`
  console.log(`filled ${JSON.stringify(sizes)} in ${Math.round((performance.now() - began) / 1000)} s`)
  return { url: `${url}/v1/${tenant}`, database, data, sql, sizes }
})

type Filled = Effect.Success<ReturnType<typeof filled>>

/** The sequential scans of tables that are larger than a few pages. */
const scans = ({ sql }: Filled) =>
  Effect.map(
    sql<{ name: string; scans: number }>`
      select relname as name, seq_scan::float8 as scans from pg_stat_user_tables
      where n_live_tup > 5000 order by relname`,
    (rows) => new Map(rows.map(({ name, scans }) => [name, scans]))
  )

const scannedSince = Effect.fnUntraced(function* (database: Filled, before: ReadonlyMap<string, number>) {
  // PostgreSQL reports the work of a connection within a second.
  yield* Effect.sleep("2 seconds")
  const after = yield* scans(database)
  return [...after].flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? name : [])).join(", ") || "none"
})

const compare = Effect.fnUntraced(function* (large: Filled, few: Filled) {
  const before = yield* scans(large)
  console.log("\nread | large | small | ratio (at most 2)")
  const smallReads = reads(few.sizes)
  let worst = 0
  for (const [at, [what, path, body]] of reads(large.sizes).entries()) {
    const times: Array<readonly [number, number]> = []
    for (let n = 0; n < requests; n++) {
      const other = smallReads[at]!
      const ours = yield* Effect.promise(() => time(`${large.url}/${path}`, body))
      times.push([ours, yield* Effect.promise(() => time(`${few.url}/${other[1]}`, other[2]))])
    }
    const [ours = 0, theirs = 0] = [0, 1].map((side) =>
      median(times.slice(requests / 5).map((pair) => pair[side] ?? 0))
    )
    worst = Math.max(worst, ours / theirs)
    console.log(`${what} | ${ours.toFixed(2)} ms | ${theirs.toFixed(2)} ms | ${(ours / theirs).toFixed(2)}`)
  }
  console.log(`worst ratio ${worst.toFixed(2)}; tables read from end to end: ${yield* scannedSince(large, before)}`)
})

/** Writes executions while retention runs. Returns the size after each round. */
const steady = Effect.fnUntraced(function* (large: Filled) {
  const { database, data, sql, sizes } = large
  const keep = Math.max(1000, Math.round(sizes.executions * 0.75))
  const added = Math.max(1000, Math.round(sizes.executions * 0.1))
  const size = Effect.map(
    sql<{ rows: number; mib: number }>`
      select (select number from history_usage where kind = 'executions')::float8 as rows,
        (sum(pg_total_relation_size(c.oid)) / 1048576)::float8 as mib
      from pg_class c where relname in ('executions', 'execution_events', 'execution_output')`,
    ([row]) => row ?? { rows: 0, mib: 0 }
  )
  const report = (what: string, { rows, mib }: { readonly rows: number; readonly mib: number }) =>
    console.log(`${what} | ${rows} executions | ${Math.round(mib)} MiB`)
  console.log(`\nretention of ${keep} executions | left | size`)
  report("before", yield* size)
  const rules = {
    mode: "on",
    executions: { number: keep },
    archives: {},
    versions: {},
    documents: {},
    audit: {}
  } as const
  const retention = Layer.provideMerge(
    Retention.schedule("1 second"),
    gateway({ databaseUrl: Redacted.value(database), data, retention: rules, logLevel: "none" })
  )
  yield* Effect.gen(function* () {
    for (let round = 0; round < 6; round++) {
      if (round > 0) {
        console.log(`adding from ${new Date().toISOString()}`)
        const adding = addExecutions(sizes.executions + round * added, added, sizes.flowlines)
        yield* Effect.provideService(adding, SqlClient.SqlClient, sql)
      }
      const before = yield* scans(large)
      const began = performance.now()
      for (;;) {
        if ((yield* size).rows <= keep) break
        yield* Effect.sleep("500 millis")
      }
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      const scanned = yield* scannedSince(large, before)
      yield* sql`vacuum analyze executions, execution_events, execution_output`
      report(`after ${round * added} more, ${seconds} s later`, yield* size)
      console.log(`tables read from end to end meanwhile: ${scanned}`)
    }
  }).pipe(Effect.provide(retention))
})

const whole = Effect.gen(function* () {
  const few = yield* filled(small)
  const large = yield* filled(full)
  yield* compare(large, few)
  yield* steady(large)
})

await Effect.runPromise(Effect.scoped(whole).pipe(Effect.provide(Reactivity.layer)))
