import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createSecureContext, TLSSocket } from "node:tls"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { eventually } from "../support/process.ts"
import { first, second } from "../support/tls.ts"
import { running } from "./running.ts"
import { failed, failures, ran, reader, Shop, shop, shown, specOf } from "./shop.ts"
import { ended, engine, flowline, follow, node, places, printed, settings } from "./support.ts"

/** A way with TLS to a PostgreSQL, whose answers stop after some bytes, while its connections stay. */
const secureWay = (to: URL, bytes = Number.POSITIVE_INFINITY) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const open = new Set<Socket>()
      const secureContext = createSecureContext({ cert: first.cert, key: first.key })
      let left = bytes
      const server = createServer((near) => {
        open.add(near)
        near.on("error", () => {})
        near.once("data", () => {
          if (left <= 0) return
          near.write("S")
          const inner = new TLSSocket(near, { isServer: true, secureContext })
          const far = connect(Number(to.port), to.hostname)
          open.add(far)
          for (const socket of [inner, far]) socket.on("error", () => {})
          inner.on("close", () => far.destroy())
          inner.pipe(far)
          far.on("data", (chunk) => {
            left -= chunk.length
            if (left > 0) inner.write(chunk)
          })
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, open, port: (server.address() as AddressInfo).port }
    }),
    ({ server, open }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )

layer(shop)("the server of an sql_input", (it) => {
  it.effect("prefers other forms and limits, and gives the same", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE ROLE particular LOGIN PASSWORD 'word'`
      const [version] = yield* sql<{ n: number }>`SELECT current_setting('server_version_num')::int AS n`
      const given = [
        ["bytea_output", "escape"],
        ["IntervalStyle", "postgres_verbose"],
        ["DateStyle", "German"],
        ["statement_timeout", "200ms"],
        ...((version?.n ?? 0) < 170_000 ? [] : [["transaction_timeout", "200ms"]])
      ]
      for (const [name, value] of given) yield* sql.unsafe(`ALTER ROLE particular SET ${name} = '${value}'`)
      const query = `SELECT '\\x00ff41'::bytea AS b, '1 day'::interval AS i, '2026-01-02'::date AS d, pg_sleep(0.05)::text AS s
        FROM generate_series(1, 10)`
      const { lines, end } = yield* ran(
        flowline([reader({ query, user: "particular", password: "word" }), shown, failures])
      )
      assert.deepStrictEqual([end.error, lines.length], [undefined, 10])
      assert.deepStrictEqual(JSON.parse(lines[0] ?? ""), { b: "\\x00ff41", i: "P1D", d: "2026-01-02", s: "" })
    })
  )

  it.effect("ends the query of a run that was killed", () =>
    Effect.gen(function* () {
      const { sql, url, outbound } = yield* Shop
      const { root } = yield* places
      const here = settings(root, { entry: program("run"), outbound })
      const run = yield* running(
        here,
        specOf(flowline([reader({ query: "SELECT pg_sleep(600)::text AS a" }), shown]), url)
      )
      const active = () =>
        Effect.runPromise(
          sql`SELECT pid FROM pg_stat_activity WHERE application_name = 'flow-gateway' AND query LIKE 'fetch%'
            AND datname = current_database() AND state = 'active'`
        )
      yield* Effect.promise(() =>
        eventually("the query runs", async () => failed(run) || (await active()).length === 1)
      )
      process.kill(run.pid(), "SIGKILL")
      yield* Effect.promise(() => eventually("the query has ended", async () => (await active()).length === 0))
    })
  )

  it.effect("has large rows behind small ones, and the run needs no more memory for them", () =>
    Effect.gen(function* () {
      const query = `SELECT repeat('x', 100) AS text FROM generate_series(1, 5200)
        UNION ALL SELECT repeat('y', 1000000) FROM generate_series(1, 500)`
      const less = { ...node("mutate", { operations: [{ remove: ["text"] }] }, "in"), component: "less" }
      const { lines, end } = yield* ran(
        flowline([reader({ query }), less, node("show", { format: "json", limit: 10_000 }, "less")], {
          memory_mib: 128
        })
      )
      assert.deepStrictEqual([end.error, lines.length], [undefined, 5700])
    })
  )

  it.effect("falls silent in the middle of an answer inside TLS, and the run does not wait for ever", () =>
    Effect.gen(function* () {
      const { url } = yield* Shop
      const { root } = yield* places
      const way = yield* secureWay(new URL(url), 300_000)
      const through = new URL(url)
      through.port = String(way.port)
      through.searchParams.set("sslmode", "require")
      const here = settings(root, { entry: program("run"), outbound: [`127.0.0.1:${way.port}`] })
      const query = "SELECT repeat('x', 1000) AS text FROM generate_series(1, 1000)"
      const dag = flowline([reader({ query, retry_seconds: 0.2 }), shown])
      const messages = yield* follow(specOf(dag, through.href)).pipe(Effect.provide(engine(here)))
      assert.match(ended(messages).error ?? "", /^in: 127.0.0.1:\d+ does not answer: The server has not answered for/)
    })
  )

  it.effect(
    "is read through TLS where its certificate is accepted, and otherwise fails at once and says what to do",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Shop
        const { root } = yield* places
        const way = yield* secureWay(new URL(url))
        const through = new URL(url)
        through.port = String(way.port)
        through.searchParams.set("sslmode", "verify-full")
        const here = settings(root, { entry: program("run"), outbound: [`127.0.0.1:${way.port}`] })
        const reading = (ca: string) =>
          Effect.map(
            follow(specOf(flowline([reader({ query: "SELECT 1 AS a", ca }), shown]), through.href)).pipe(
              Effect.provide(engine(here))
            ),
            (messages) => [ended(messages).error, printed(messages)] as const
          )
        assert.deepStrictEqual(yield* reading(first.cert), [undefined, ['{"a":1}']])
        const [error] = yield* reading(second.cert)
        assert.match(
          error ?? "",
          /^in: The certificate of 127.0.0.1:\d+ is not accepted: .*; set ca, or sslmode=require$/
        )
      })
  )

  it.effect("refuses a query with a parameter at once", () =>
    Effect.gen(function* () {
      const { end } = yield* ran(flowline([reader({ query: "SELECT $1::int AS a" }), shown]))
      assert.match(end.error ?? "", /^in: The query: it has a parameter such as \$1/)
    })
  )
})
