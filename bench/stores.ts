import { createServer } from "node:http"
import { Effect, Redacted, Schema } from "effect"
import pg from "pg"
import { Outbound } from "../src/drivers/Outbound.ts"
import { openDatabase } from "../src/drivers/sql/SqlDatabase.ts"
import { catalogue } from "../src/nodes/Catalogue.ts"
import type { Event } from "../src/nodes/Node.ts"
import { network } from "../src/run/Sockets.ts"
import { startTestServer } from "../test/support/postgresServer.ts"
import { cpuSecondsOf, pinned } from "./measure.ts"
import { nodeContext } from "./nodeContext.ts"

/**
 * `sql_input` and `sql_output` on a PostgreSQL of this machine, compared with the driver `pg`, which reads all rows at
 * once and inserts arrays of each column; and `http_poll_input` on a server of this process, page by page, compared
 * with a loop of `fetch` and `JSON.parse`. Both sides alternate. The minimum of the rounds counts, because other work
 * on the machine only adds time: `node bench/stores.ts [rounds] [rows]`.
 */

await pinned(import.meta.filename)

interface Timed {
  readonly millis: number
  readonly cpu: number
}

const rounds = Number(process.argv[2] ?? 5)
const rows = Number(process.argv[3] ?? 100_000)
const batch = 1000

/** Answers prepared pages of `batch` records below `/json` and `/ndjson`, starting with the record at `?offset=`. */
const serve = (records: ReadonlyArray<Event>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const pages = Array.from({ length: Math.ceil(records.length / batch) }, (_, at) => {
        const texts = records.slice(at * batch, (at + 1) * batch).map((record) => JSON.stringify(record))
        return { json: Buffer.from(`{"items":[${texts.join(",")}]}`), ndjson: Buffer.from(`${texts.join("\n")}\n`) }
      })
      const server = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1")
        const page = pages[Number(searchParams.get("offset")) / batch]
        const isJson = pathname === "/json"
        const body = (isJson ? page?.json : page?.ndjson) ?? Buffer.from(isJson ? '{"items":[]}' : "")
        const type = isJson ? "application/json" : "application/x-ndjson"
        response.writeHead(200, { "content-type": type, "content-length": body.length }).end(body)
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      const address = server.address()
      return { server, port: typeof address === "object" && address !== null ? address.port : 0 }
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections())
  )

const main = Effect.gen(function* () {
  const address = new URL(Redacted.value(yield* startTestServer))
  address.searchParams.set("sslmode", "disable")
  const { signal } = new AbortController()
  const records = Array.from(
    { length: rows },
    (_, id): Event => ({ id, host: `host ${id % 99}`, took: (id % 9000) / 1000, at: new Date(id * 1000).toISOString() })
  )
  const { port } = yield* serve(records)
  const web = `127.0.0.1:${port}`
  const context = nodeContext({
    network: network(new Outbound([web]), []),
    openDatabase: openDatabase(new Outbound([`${address.hostname}:${address.port}`]), signal),
    signal
  })
  const start = (type: string, settings: object) => {
    const node = catalogue.get(type)
    if (node === undefined) throw new Error(type)
    return node.start(Schema.decodeUnknownSync(node.settings)(settings), context)
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
    const instance = await start("sql_input", { url: address.href, query })
    await instance.run?.((_, events) => {
      count += events.length
    })
    return count
  }
  const readByHand = async () => (await client.query(query)).rows.length
  const write = async () => {
    const instance = await start("sql_output", { url: address.href, table: "made", key: ["id"] })
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
  const poll = (kind: "json" | "ndjson") => async () => {
    const given = kind === "json" ? { format: kind, records: "/items" } : { format: kind }
    const pages = { offset: "offset", size: batch }
    const instance = await start("http_poll_input", {
      url: `http://${web}/${kind}`,
      pages,
      max_pages: 100_000,
      ...given
    })
    let count = 0
    await instance.run?.((_, events) => {
      count += events.length
    })
    return count
  }
  const pollByHand = (kind: "json" | "ndjson") => async () => {
    for (let count = 0; ; ) {
      const text = await (await fetch(`http://${web}/${kind}?offset=${count}`)).text()
      const page: ReadonlyArray<unknown> =
        kind === "json"
          ? JSON.parse(text).items
          : text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)))
      count += page.length
      if (page.length < batch) return count
    }
  }
  const timed = async (work: () => Promise<number>) => {
    const [before, cpu] = [performance.now(), cpuSecondsOf([process.pid])]
    const count = await work()
    if (count !== rows) throw new Error(`${count} of ${rows}`)
    return { millis: performance.now() - before, cpu: cpuSecondsOf([process.pid]) - cpu }
  }
  console.log("node | rows/s | by hand | ratio by wall | by processor time of all, PostgreSQL and the server included")
  for (const [name, ours, hand] of [
    ["sql_input", read, readByHand],
    ["sql_output, upsert", write, writeByHand],
    ["http_poll_input, json", poll("json"), pollByHand("json")],
    ["http_poll_input, ndjson", poll("ndjson"), pollByHand("ndjson")]
  ] as const) {
    const times: Array<readonly [Timed, Timed]> = []
    for (let round = 0; round < rounds; round++) {
      yield* Effect.promise(() => client.query("TRUNCATE made"))
      const our = yield* Effect.promise(() => timed(ours))
      yield* Effect.promise(() => client.query("TRUNCATE made"))
      times.push([our, yield* Effect.promise(() => timed(hand))])
    }
    const rate = (millis: number) => `${Math.round(rows / millis)} k/s`
    const least = (of: keyof Timed) => [0, 1].map((side) => Math.min(...times.map((pair) => pair[side]![of])))
    const [our = 0, by = 0] = least("millis")
    const [ourCpu = 0, byCpu = 0] = least("cpu")
    console.log(`${name} | ${rate(our)} | ${rate(by)} | ${(by / our).toFixed(2)} | ${(byCpu / ourCpu).toFixed(2)}`)
  }
  yield* Effect.promise(() => client.end())
})

await Effect.runPromise(Effect.scoped(main))
