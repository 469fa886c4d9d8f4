import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { program } from "../../src/drivers/Programs.ts"
import type { DagNode } from "../../src/protocol/Flowline.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { failed, failures, ran, reader, ref, Shop, shop, shown, specOf } from "./shop.ts"
import { ended, engine, flowline, follow, node, places, settings } from "./support.ts"

const writer = (given: DagNode["settings"]): DagNode => ({
  ...node("sql_output", { url: ref, ...given }, "from"),
  component: "in",
  publish: [{ stream: "errors" }]
})
const given = (messages: ReadonlyArray<unknown>): DagNode => ({
  ...node("dataset_generator", { rows: messages }),
  component: "from"
})
const writing = (into: DagNode["settings"], rows: ReadonlyArray<unknown>) =>
  ran(flowline([given(rows), writer(into), failures]))

/** A way to a server that can be cut and opened again. */
const wayTo = (to: URL) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const open = new Set<Socket>()
      let connections = 0
      let server: Server | undefined
      const listen = (port: number) =>
        new Promise<number>((resolve) => {
          server = createServer((near) => {
            connections++
            const far = connect(Number(to.port), to.hostname)
            for (const socket of [near, far]) {
              open.add(socket)
              socket.on("error", () => {})
              socket.on("close", () => {
                open.delete(socket)
                near.destroy()
                far.destroy()
              })
            }
            near.pipe(far)
            far.pipe(near)
          })
          server.listen(port, "127.0.0.1", () => resolve((server!.address() as AddressInfo).port))
        })
      const port = await listen(0)
      const cut = () =>
        new Promise<void>((resolve) => {
          server?.close(() => resolve())
          for (const socket of open) socket.destroy()
        })
      return { port, cut, open: () => listen(port), connections: () => connections }
    }),
    ({ cut }) => Effect.promise(cut)
  )

layer(shop)("sql_output", (it) => {
  it.effect("inserts rows with the types of the table, defaults and all digits", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE SCHEMA "Odd s"`
      yield* sql`CREATE TABLE "Odd s"."T""t" (id bigint PRIMARY KEY, num numeric, at timestamptz DEFAULT '2026-01-01Z', doc jsonb,
        list int[], "say ""hi""" text, twice int GENERATED ALWAYS AS (list[1] * 2) STORED)`
      const into = { schema: "Odd s", table: 'T"t' }
      const { end, lines } = yield* writing(into, [
        {
          id: "9007199254740993",
          num: "0.12345678901234567890",
          doc: { a: [1, "x"] },
          list: [4, 5],
          'say "hi"': "'; DROP"
        },
        { id: 2, at: "2026-02-03T04:05:06.123456Z", num: null },
        { num: 1, id: 3 }
      ])
      assert.deepStrictEqual([end.error, lines], [undefined, []])
      const rows = yield* sql`SELECT row_to_json(t)::text AS row FROM "Odd s"."T""t" t ORDER BY id`
      assert.deepStrictEqual(
        rows.map(({ row }) => row),
        [
          '{"id":2,"num":null,"at":"2026-02-03T04:05:06.123456+00:00","doc":null,"list":null,"say \\"hi\\"":null,"twice":null}',
          '{"id":3,"num":1,"at":"2026-01-01T00:00:00+00:00","doc":null,"list":null,"say \\"hi\\"":null,"twice":null}',
          '{"id":9007199254740993,"num":0.12345678901234567890,"at":"2026-01-01T00:00:00+00:00","doc":{"a": [1, "x"]},"list":[4,5],"say \\"hi\\"":"\'; DROP","twice":8}'
        ]
      )
    })
  )

  it.effect("sends what the database refuses to errors with the column and the reason, and writes the rest", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE strict (id int PRIMARY KEY, qty int NOT NULL CHECK (qty < 1000), t text)`
      const rows = Array.from({ length: 2500 }, (_, id) => ({ id, qty: id % 100, t: "x" }))
      const wrong: ReadonlyArray<readonly [record: object, reason: RegExp]> = [
        [
          { id: 5, qty: 1 },
          /^duplicate key value violates unique constraint "strict_pkey" \(23505\). Key \(id\)=\(5\)/
        ],
        [{ id: 5001, qty: "abc" }, /^column qty: invalid input syntax for type integer: "abc" \(22P02\)/],
        [{ id: 5002, qty: 99999999999 }, /^column qty: value "99999999999" is out of range for type integer \(22003\)/],
        [{ id: 5003, qty: null }, /^column qty: null value in column "qty".* \(23502\)/],
        [
          { id: 5004, qty: 1000 },
          /^new row for relation "strict" violates check constraint "strict_qty_check" \(23514\)/
        ],
        [{ id: 5005, qty: 1, t: "a\u0000b" }, /^column t: .*\(22P05\)/],
        [{ id: 5006, qty: 1, T: "a" }, /^the table strict has no column "T"; did you mean "t"\?/]
      ]
      for (const [at, [record]] of wrong.entries()) rows.splice(at * 300 + 10, 0, record as (typeof rows)[0])
      const { end, lines } = yield* writing({ table: "strict", batch_records: 700 }, rows)
      assert.strictEqual(end.error, undefined)
      const refused = lines.map((line) => JSON.parse(line)).sort((one, other) => one.id - other.id)
      assert.strictEqual(refused.length, wrong.length)
      for (const [at, [record, reason]] of wrong.entries()) {
        const { error, ...rest } = refused[at]
        assert.deepStrictEqual(rest, record)
        assert.match(error.reason, reason)
      }
      const [count] = yield* sql`SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids FROM strict`
      assert.deepStrictEqual(count, { n: 2500, ids: 2500 })
    })
  )

  it.effect("changes rows by their key, in the order of the records, and leaves columns that a record lacks", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE state (host text, port int, up boolean, seen int DEFAULT 7, UNIQUE (host, port))`
      yield* sql`INSERT INTO state VALUES ('a', 1, true, 1), ('c', 1, true, 1)`
      const records = [
        { host: "a", port: 1, up: false },
        { host: "b", port: 2, up: true },
        { host: "b", port: 2, seen: 8 },
        { host: "a", port: 1, seen: 3 },
        { host: "a", port: "1", seen: 4 },
        { host: "c", port: 1 }
      ]
      const into = { table: "state", key: ["host", "port"] }
      const state = sql`SELECT host, port, up, seen FROM state ORDER BY host`
      const wanted = [
        { host: "a", port: 1, up: false, seen: 4 },
        { host: "b", port: 2, up: true, seen: 8 },
        { host: "c", port: 1, up: true, seen: 1 }
      ]
      for (const _ of ["first attempt", "the same again"]) {
        const { end, lines } = yield* writing(into, records)
        assert.deepStrictEqual([end.error, lines], [undefined, []])
        assert.deepStrictEqual(yield* state, wanted)
      }
      yield* writing({ ...into, conflict: "ignore" }, [
        { host: "a", port: 1, up: true },
        { host: "d", port: 4 }
      ])
      assert.deepStrictEqual(yield* state, [...wanted, { host: "d", port: 4, up: null, seen: 7 }])
      for (const [runtime, host] of [
        ["analytics", "g"],
        ["pybatch", "h"]
      ] as const) {
        const other = yield* ran({ ...flowline([given([{ host, port: 1 }]), writer(into), failures]), runtime })
        assert.deepStrictEqual([runtime, other.end.error, other.lines], [runtime, undefined, []])
        assert.deepStrictEqual((yield* sql`DELETE FROM state WHERE host = ${host} RETURNING port`).length, 1)
      }
      // The last record of "f" has the columns of the very first record, which is written before it.
      yield* writing(into, [
        { host: "c", port: 1, seen: 1 },
        { host: "f", port: 1, up: true, seen: 9 },
        { host: "f", port: 1, seen: 5 }
      ])
      assert.deepStrictEqual((yield* state).at(-1), { host: "f", port: 1, up: true, seen: 5 })
      const columns = { host: "server.name", port: "server.port" }
      yield* writing({ ...into, columns }, [{ server: { name: "e", port: 5 }, other: 1 }, { server: { name: "e" } }])
      assert.deepStrictEqual((yield* state).length, 7)
    })
  )

  it.effect("fails at once on a table, column or key that is not there", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE visits (id int, host text)`
      const cases: ReadonlyArray<readonly [into: DagNode["settings"], error: string]> = [
        [{ table: "visit" }, 'There is no "visit" among the tables (visit); did you mean "visits"?'],
        [{ table: "visits", schema: "other" }, 'There is no "visits" among the tables (other.visits)'],
        [{ table: "visits", key: ["ID"] }, 'There is no "ID" in the table visits; did you mean "id"? (key)'],
        [{ table: "visits", key: ["id"] }, "The table visits has no unique index on id, which key needs"],
        [{ table: "visits", columns: { hots: "a" } }, 'There is no "hots" in the table visits; did you mean "host"?'],
        [{ table: 'visits"; DROP TABLE visits; --' }, "There is no "]
      ]
      for (const [into, error] of cases) {
        const { end } = yield* writing(into, [{ id: 1 }])
        assert.include(end.error, error)
      }
    })
  )

  it.effect("waits for a database that breaks off and comes back, and leaves each row once", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* Shop
      const { root } = yield* places
      yield* sql`CREATE TABLE once (id int PRIMARY KEY, times int)`
      yield* sql`CREATE TABLE many AS SELECT n AS id FROM generate_series(1, 20000) n`
      const way = yield* wayTo(new URL(url))
      const through = new URL(url)
      through.port = String(way.port)
      const here = settings(root, { entry: program("run"), outbound: [`127.0.0.1:${way.port}`] })
      const from = reader({ query: "TABLE many", incremental: ["id"], every: "10ms" })
      const into = { ...writer({ table: "once", key: ["id"] }), component: "out" }
      const dag = flowline([from, { ...into, subscribe: [{ component: "in", stream: "out" }] }])
      const run = yield* running(here, specOf(dag, through.href))
      const rows = Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM once`, ([row]) => row?.n ?? 0)
      // Each time, the answer to the latest write is lost.
      for (const _ of [1, 2, 3]) {
        const before = yield* rows
        yield* Effect.promise(() =>
          eventually("more rows", async () => failed(run) || (await Effect.runPromise(rows)) > Math.min(before, 19_999))
        )
        yield* Effect.promise(way.cut)
        yield* Effect.promise(way.open)
      }
      yield* Effect.promise(() =>
        eventually("all rows", async () => failed(run) || (await Effect.runPromise(rows)) === 20_000)
      )
      yield* run.stop
      assert.isAtLeast(way.connections(), 4)
      yield* Effect.promise(way.cut)
      const lost = yield* follow(
        specOf(flowline([reader({ query: "TABLE many", retry_seconds: 0.2 }), shown]), through.href)
      ).pipe(Effect.provide(engine(here)))
      assert.match(ended(lost).error ?? "", /^in: 127.0.0.1:\d+ does not answer: /)
    })
  )

  it.effect("waits for a server that takes no writes, with a new connection each time", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* Shop
      const { root } = yield* places
      yield* sql`CREATE TABLE kept (id int PRIMARY KEY)`
      const [here] = yield* sql<{ name: string }>`SELECT quote_ident(current_database()) AS name`
      const way = yield* wayTo(new URL(url))
      const through = new URL(url)
      through.port = String(way.port)
      const allowed = settings(root, { entry: program("run"), outbound: [`127.0.0.1:${way.port}`] })
      const write = sql.unsafe(`ALTER DATABASE ${here?.name} RESET default_transaction_read_only`)
      yield* sql.unsafe(`ALTER DATABASE ${here?.name} SET default_transaction_read_only = on`)
      yield* Effect.addFinalizer(() => Effect.ignore(write))
      const into = { table: "kept", key: ["id"] }
      const run = yield* running(allowed, specOf(flowline([given([{ id: 1 }]), writer(into), failures]), through.href))
      yield* Effect.promise(() => eventually("it has tried again", () => failed(run) || way.connections() > 2))
      yield* write
      const found = () => Effect.runPromise(Effect.map(sql`SELECT id FROM kept`, ({ length }) => length === 1))
      yield* Effect.promise(() => eventually("the row is there", found))
      const refusing = { ...into, user: "reader", password: "word", retry_seconds: 0.2 }
      yield* sql`CREATE ROLE reader LOGIN PASSWORD 'word'`
      yield* sql`GRANT ALL ON kept TO reader`
      yield* sql`ALTER ROLE reader SET default_transaction_read_only = on`
      const { end } = yield* writing(refusing, [{ id: 2 }])
      assert.match(end.error ?? "", /^in: 127.0.0.1:\d+ takes no writes: cannot execute INSERT .* \(25006\)/)
    })
  )

  it.effect("writes nothing once its run was killed while a statement waited for a lock", () =>
    Effect.gen(function* () {
      const { sql, url, outbound } = yield* Shop
      const { root } = yield* places
      yield* sql`CREATE TABLE locked (id int PRIMARY KEY)`
      const here = settings(root, { entry: program("run"), outbound })
      const waiting = () =>
        Effect.runPromise(
          sql`SELECT pid FROM pg_stat_activity WHERE application_name = 'flow-gateway' AND wait_event_type = 'Lock'
            AND datname = current_database()`
        )
      const other = yield* PgClient.makeClient({ url: Redacted.make(url) })
      yield* other.withTransaction(
        Effect.gen(function* () {
          yield* other`INSERT INTO locked VALUES (1)`
          const into = { table: "locked", key: ["id"] }
          const run = yield* running(here, specOf(flowline([given([{ id: 1 }]), writer(into), failures]), url))
          yield* Effect.promise(() =>
            eventually("the statement waits", async () => failed(run) || (await waiting()).length === 1)
          )
          process.kill(run.pid(), "SIGKILL")
          yield* Effect.promise(() => eventually("the statement has ended", async () => (await waiting()).length === 0))
        })
      )
    }).pipe(Effect.provide(Reactivity.layer))
  )
})
