import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import type { DagNode, Flowline } from "../../src/protocol/Flowline.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { failed, failures, ran, reader, Shop, shop, shown, specOf } from "./shop.ts"
import { flowline, node, places, settings } from "./support.ts"

const reading = (given: DagNode["settings"], runtime: Flowline["runtime"] = "stream") =>
  ran({ ...flowline([reader(given), shown, failures]), runtime })

layer(shop)("sql_input", (it) => {
  it.effect("maps types with all their digits", () =>
    Effect.gen(function* () {
      const { lines, end } = yield* reading({
        query: `SELECT 9007199254740993::bigint AS big, 5 AS small, 1234567890.12345678901234567890::numeric AS num, 1.5::float8 AS f,
          'NaN'::float8 AS nan, true AS yes, null::text AS nothing, '2026-01-02 03:04:05.123456+02'::timestamptz AS at,
          '2026-01-02'::date AS day, '1 day 2 hours'::interval AS took, '\\xdeadbeef'::bytea AS bytes, ARRAY[1,2] AS list,
          '{"a":[12345678901234567890, 1]}'::jsonb AS doc, 'é"' AS "a text" -- the end`
      })
      assert.strictEqual(end.error, undefined)
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line)),
        [
          {
            big: "9007199254740993",
            small: 5,
            num: "1234567890.12345678901234567890",
            f: 1.5,
            nan: "NaN",
            yes: true,
            nothing: null,
            at: "2026-01-02T01:04:05.123456+00:00",
            day: "2026-01-02",
            took: "P1DT2H",
            bytes: "\\xdeadbeef",
            list: [1, 2],
            doc: { a: ["12345678901234567890", 1] },
            "a text": 'é"'
          }
        ]
      )
    })
  )

  it.effect("reads a large result in pieces of bounded size, in every runtime", () =>
    Effect.gen(function* () {
      const count = 30_000
      const query = `SELECT n AS id, repeat('x', 3000) AS text FROM generate_series(1, ${count}) n;`
      const sum = node("aggregate", { window: "1d", time_field: "id", metrics: { n: { type: "count" } } }, "in")
      const stream = yield* ran(
        flowline([reader({ query }), sum, { ...node("show", { format: "json" }, "aggregate") }], { memory_mib: 96 })
      )
      assert.deepStrictEqual([stream.end.error, JSON.parse(stream.lines[0] ?? "{}").n], [undefined, count])
      const statement = "SELECT count(*) AS n, sum(id) AS s, max(length(text)) AS l FROM in_out"
      const sql = { ...node("sql", { statement }, "in"), component: "sql" }
      const analytics = yield* ran({
        ...flowline([reader({ query }), sql, node("show", { format: "json" }, "sql")]),
        runtime: "analytics"
      })
      assert.strictEqual(analytics.end.error, undefined)
      assert.deepStrictEqual(JSON.parse(analytics.lines[0] ?? ""), { n: count, s: (count * (count + 1)) / 2, l: 3000 })
      const pybatch = yield* reading({ query: "SELECT 1 AS id" }, "pybatch")
      assert.deepStrictEqual([pybatch.end.error, pybatch.lines], [undefined, ['{"id":1}']])
    })
  )

  it.effect("fails with the place of a fault, and changes nothing", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE kept (id serial)`
      const cases: ReadonlyArray<readonly [query: string, error: string]> = [
        ["SELECT 1 AS a,\n  wrong AS b", 'The query, line 2, column 3: column "wrong" does not exist (42703)'],
        ["SELECT 1; DELETE FROM kept", 'The query, line 1, column 9: syntax error at or near ";" (42601)'],
        ["WITH d AS (DELETE FROM kept RETURNING id) SELECT * FROM d", "The query, line 1, column 6: WITH clause"],
        ["SELECT 1 AS a, 2 AS a", 'The query gives the column "a" twice: name one of them with AS'],
        ["SELECT 1 / (3 - n) AS a FROM generate_series(1, 5) n", "The query: division by zero (22012)"],
        [
          "SELECT nextval('kept_id_seq') AS n",
          "The query: cannot execute nextval() in a read-only transaction (25006)"
        ],
        ["SELECT id FROM nowhere", 'The query, line 1, column 16: relation "nowhere" does not exist (42P01)']
      ]
      for (const [query, error] of cases) {
        const { end } = yield* reading({ query })
        assert.include(end.error, error)
        assert.strictEqual(end.component, "in")
      }
    })
  )

  it.effect("sends a row that is too large to errors, and takes the others", () =>
    Effect.gen(function* () {
      const query =
        "SELECT n AS id, repeat('x', CASE n WHEN 2 THEN 5000000 ELSE 5 END) AS t FROM generate_series(1, 3) n"
      const { lines, end } = yield* reading({ query, incremental: ["id"] })
      const records = lines.map((line) => JSON.parse(line))
      assert.deepStrictEqual([end.error, records.map(({ id }) => String(id)).sort()], [undefined, ["1", "2", "3"]])
      assert.deepStrictEqual(records.find(({ error }) => error !== undefined)?.error, {
        node: "in",
        reason: "the row has 5000015 bytes as JSON, which is too large"
      })
    })
  )

  it.effect("goes on behind the last row in a later attempt, and repeats none", () =>
    Effect.gen(function* () {
      const { sql, url, outbound } = yield* Shop
      const { root } = yield* places
      const here = settings(root, { entry: program("run"), outbound })
      // Names that PostgreSQL would take for something else, and values that are equal across pieces.
      yield* sql`CREATE TABLE "odd "" table" ("Select" timestamptz, "flow_row" int, PRIMARY KEY ("Select", "flow_row"))`
      const insert = (day: number, from: number, to: number) =>
        sql`INSERT INTO "odd "" table" SELECT '2026-01-01'::timestamptz + ${day} * interval '1.000001 day', n
            FROM generate_series(${from}::int, ${to}::int) n`
      yield* insert(1, 1, 40)
      yield* insert(2, 1, 2000)
      const dag = flowline([
        reader({
          query: 'SELECT "Select", flow_row FROM "odd "" table"',
          incremental: ["Select", "flow_row"],
          every: "10ms"
        }),
        shown
      ])
      const first = yield* running(here, specOf(dag, url))
      yield* Effect.promise(() => eventually("all rows", () => failed(first) || first.records().length >= 2040))
      yield* insert(2, 2001, 2001)
      yield* insert(3, 1, 2)
      yield* Effect.promise(() => eventually("the new rows", () => failed(first) || first.records().length >= 2043))
      yield* Effect.promise(() =>
        eventually("the position", () => failed(first) || JSON.stringify(first.positions()).includes("2026-01-04"))
      )
      yield* first.stop
      assert.deepStrictEqual(
        first.records().map(({ flow_row }) => flow_row),
        [...Array(40).keys(), ...Array(2001).keys(), ...Array(2).keys()].map((n) => n + 1)
      )
      yield* insert(3, 3, 3)
      const second = yield* running(here, specOf(dag, url, { epoch: 2, positions: first.positions() }))
      yield* Effect.promise(() => eventually("the last row", () => failed(second) || second.records().length > 0))
      assert.deepStrictEqual(second.records(), [{ Select: "2026-01-04T00:00:00.2592+00:00", flow_row: 3 }])
      yield* second.stop
    })
  )

  it.effect("keeps its position in the middle of a reading", () =>
    Effect.gen(function* () {
      const { sql, url, outbound } = yield* Shop
      const { root } = yield* places
      const here = settings(root, { entry: program("run"), outbound })
      const count = 100_000
      yield* sql`CREATE TABLE large AS SELECT n AS id FROM generate_series(1, ${count}::int) n`
      const slow = node("rate_limit", { records_per_second: 1000 }, "in")
      const from = reader({ query: "TABLE large", incremental: ["id"], every: "1h" })
      const dag = flowline([from, slow, node("show", { format: "json", limit: count }, "rate_limit")])
      const first = yield* running(here, specOf(dag, url))
      const saved = () => JSON.parse(JSON.stringify(first.positions()))["in"]?.after?.[0]
      yield* Effect.promise(() => eventually("a position", () => failed(first) || saved() !== undefined))
      yield* first.stop
      const at = Number(saved())
      assert.isBelow(at, count)
      assert.isAtLeast(first.records().length, at)
      const second = yield* running(here, specOf(dag, url, { epoch: 2, positions: first.positions() }))
      yield* Effect.promise(() => eventually("a row", () => failed(second) || second.records().length > 0))
      assert.strictEqual(second.records()[0]?.["id"], at + 1)
      yield* second.stop
    })
  )

  it.effect("holds a position before rows that are equal, until all of them are taken", () =>
    Effect.gen(function* () {
      const { sql, url, outbound } = yield* Shop
      const { root } = yield* places
      const here = settings(root, { entry: program("run"), outbound })
      yield* sql`CREATE TABLE equals AS SELECT CASE WHEN n <= 10 THEN 1 WHEN n <= 5000 THEN 2 ELSE 3 END AS day, n
                 FROM generate_series(1, 5010) n`
      const dag = flowline([reader({ query: "TABLE equals", incremental: ["day"], every: "10ms" }), shown])
      const run = yield* running(here, specOf(dag, url))
      yield* Effect.promise(() =>
        eventually("the position", () => failed(run) || JSON.stringify(run.positions()).includes('"3"'))
      )
      yield* run.stop
      assert.strictEqual(new Set(run.records().map(({ n }) => n)).size, 5010)
      assert.strictEqual(run.records().length, 5010)
    })
  )

  it.effect("reaches no address that the operator has not allowed, and says what is wrong with a login or TLS", () =>
    Effect.gen(function* () {
      const { url } = yield* Shop
      const refused = yield* ran(flowline([reader({ query: "SELECT 1 AS a" }), shown]), [])
      assert.match(refused.end.error ?? "", /^in: A run may not connect to 127.0.0.1, port \d+/)
      const named = url.replace("127.0.0.1", "localhost")
      const byName = yield* ran(flowline([reader({ url: named, query: "SELECT 1 AS a" }), shown]), [])
      assert.match(byName.end.error ?? "", /^in: A run may not connect to (127.0.0.1|::1) \(localhost\), port \d+/)
      const login = yield* reading({ user: "nobody", password: "word-of-nobody", query: "SELECT 1 AS a" })
      assert.match(login.end.error ?? "", /refuses the login: .*"nobody"/)
      assert.notInclude(JSON.stringify(login.messages), "word-of-nobody")
      const plain = yield* reading({ url: url.replace("=disable", "=verify-full"), query: "SELECT 1 AS a" })
      assert.match(plain.end.error ?? "", /127.0.0.1:\d+ has no TLS: add \?sslmode=disable/)
    })
  )
})
