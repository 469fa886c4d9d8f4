import { Effect, Redacted, Schema } from "effect"
import pg from "pg"
import { Outbound } from "../src/drivers/Outbound.ts"
import { openDatabase } from "../src/drivers/sql/SqlDatabase.ts"
import { catalogue } from "../src/nodes/Catalogue.ts"
import type { Event, NodeContext } from "../src/nodes/Node.ts"
import { startTestServer } from "../test/support/postgresServer.ts"

/**
 * `sql_input` and `sql_output` on a PostgreSQL of this machine, against the driver `pg`, which reads all rows at once and
 * inserts by arrays of each column: `node bench/stores.ts [rounds] [rows]`.
 */

const rounds = Number(process.argv[2] ?? 5)
const rows = Number(process.argv[3] ?? 100_000)
const batch = 1000

const main = Effect.gen(function* () {
  const address = new URL(Redacted.value(yield* startTestServer))
  address.searchParams.set("sslmode", "disable")
  const { signal } = new AbortController()
  const none = () => {
    throw new Error("not in this benchmark")
  }
  const context: NodeContext = {
    component: "node",
    emit: () => {},
    filesIn: none,
    glob: none,
    read: none,
    open: none,
    parquet: none,
    tail: none,
    position: { load: () => undefined, save: () => {} },
    savePositions: () => {},
    network: { tcp: none, udp: none, http: none, post: none, get: none },
    openDatabase: openDatabase(new Outbound([`${address.hostname}:${address.port}`]), signal),
    file: none,
    archiveEntry: none,
    print: none,
    reject: () => {},
    signal
  }
  const start = (type: string, settings: object) => {
    const node = catalogue.get(type)
    if (node === undefined) throw new Error(type)
    return node.start(Schema.decodeUnknownSync(node.settings)({ url: address.href, ...settings }), context)
  }
  const client = new pg.Client({ connectionString: address.href, ssl: false })
  yield* Effect.promise(async () => {
    await client.connect()
    await client.query("CREATE TABLE given (id int PRIMARY KEY, host text, took float8, at timestamptz)")
    await client.query("CREATE TABLE made (LIKE given INCLUDING ALL)")
    await client.query(
      `INSERT INTO given SELECT n, 'host ' || n % 99, n / 7.0, '2026-01-01'::timestamptz + n * interval '1 s' FROM generate_series(1, ${rows}) n`
    )
  })
  const query = "SELECT id, host, took, at FROM given"
  const read = async () => {
    let count = 0
    const instance = await start("sql_input", { query })
    await instance.run?.((_, events) => {
      count += events.length
    })
    return count
  }
  const readByHand = async () => (await client.query(query)).rows.length
  const records = Array.from(
    { length: rows },
    (_, id): Event => ({ id, host: `host ${id % 99}`, took: id / 7, at: new Date(id * 1000).toISOString() })
  )
  const write = async () => {
    const instance = await start("sql_output", { table: "made", key: ["id"] })
    for (let at = 0; at < rows; at += batch) await instance.process?.(records.slice(at, at + batch), () => {})
    await instance.end?.(() => {})
    return rows
  }
  const writeByHand = async () => {
    for (let at = 0; at < rows; at += batch) {
      const part = records.slice(at, at + batch)
      const column = (name: string) => part.map((event) => event[name])
      await client.query(
        `INSERT INTO made SELECT * FROM unnest($1::int[], $2::text[], $3::float8[], $4::timestamptz[])
         ON CONFLICT (id) DO UPDATE SET host = excluded.host, took = excluded.took, at = excluded.at`,
        [column("id"), column("host"), column("took"), column("at")]
      )
    }
    return rows
  }
  const timed = async (work: () => Promise<number>) => {
    const before = performance.now()
    const count = await work()
    if (count !== rows) throw new Error(`${count} of ${rows}`)
    return performance.now() - before
  }
  const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
  console.log("node | rows/s | by hand | ratio")
  for (const [name, ours, hand] of [
    ["sql_input", read, readByHand],
    ["sql_output, upsert", write, writeByHand]
  ] as const) {
    const times: Array<readonly [number, number]> = []
    for (let round = 0; round < rounds; round++) {
      yield* Effect.promise(() => client.query("TRUNCATE made"))
      const our = yield* Effect.promise(() => timed(ours))
      yield* Effect.promise(() => client.query("TRUNCATE made"))
      times.push([our, yield* Effect.promise(() => timed(hand))])
    }
    const rate = (millis: number) => `${Math.round(rows / millis)} k/s`
    const ratio = median(times.map(([our, by]) => by / our)).toFixed(2)
    console.log(
      `${name} | ${rate(median(times.map(([our]) => our)))} | ${rate(median(times.map(([, by]) => by)))} | ${ratio}`
    )
  }
  yield* Effect.promise(() => client.end())
})

await Effect.runPromise(Effect.scoped(main))
