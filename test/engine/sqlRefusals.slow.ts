import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { DagNode } from "../../src/protocol/Flowline.ts"
import { failures, ran, ref, Shop, shop } from "./shop.ts"
import { flowline, node } from "./support.ts"

const writing = (into: DagNode["settings"], rows: ReadonlyArray<unknown>) =>
  ran(
    flowline([
      { ...node("dataset_generator", { rows }), component: "from" },
      { ...node("sql_output", { url: ref, ...into }, "from"), component: "in", publish: [{ stream: "errors" }] },
      failures
    ])
  )

const reasons = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => JSON.parse(line).error.reason)

layer(shop)("sql_output, where the table has rules of its own", (it) => {
  it.effect("does not repeat what is written when another part of the batch meets a deadlock", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE parts (id int, x int NOT NULL)`
      yield* sql`CREATE SEQUENCE deadlocks`
      yield* sql`CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.id = 90 AND nextval('deadlocks') < 4 THEN RAISE 'deadlock' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$`
      yield* sql`CREATE TRIGGER deadlock BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION deadlock()`
      const rows = Array.from({ length: 100 }, (_, id) => ({ id, x: id === 10 ? null : 1 }))
      const { lines, end } = yield* writing({ table: "parts" }, rows)
      assert.deepStrictEqual([end.error, lines.length], [undefined, 1])
      const [counts] = yield* sql`SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids FROM parts`
      assert.deepStrictEqual(counts, { n: 99, ids: 99 })
    })
  )

  it.effect("sends what a trigger or a policy refuses to errors, whatever state it names", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE ruled (id int, x int)`
      yield* sql`CREATE FUNCTION rule() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.id = 2 THEN RAISE 'no twos' USING ERRCODE = 'ZZ001'; END IF; ASSERT NEW.id <> 3, 'no threes'; RETURN NEW; END $$`
      yield* sql`CREATE TRIGGER rule BEFORE INSERT ON ruled FOR EACH ROW EXECUTE FUNCTION rule()`
      yield* sql`CREATE ROLE ruled_one LOGIN PASSWORD 'word'`
      yield* sql`ALTER TABLE ruled ENABLE ROW LEVEL SECURITY`
      yield* sql`CREATE POLICY small ON ruled FOR INSERT TO ruled_one WITH CHECK (x < 10)`
      yield* sql`GRANT INSERT ON ruled TO ruled_one`
      const into = { table: "ruled", user: "ruled_one", password: "word" }
      const rows = [
        { id: 1, x: 1 },
        { id: 2, x: 1 },
        { id: 3, x: 1 },
        { id: 4, x: 10 },
        { id: 5, x: 1 }
      ]
      const { lines, end } = yield* writing(into, rows)
      assert.strictEqual(end.error, undefined)
      assert.deepStrictEqual(reasons(lines), [
        "no twos (ZZ001)",
        "no threes (P0004)",
        'new row violates row-level security policy for table "ruled" (42501)'
      ])
      assert.deepStrictEqual(yield* sql`SELECT id FROM ruled ORDER BY id`, [{ id: 1 }, { id: 5 }])
      yield* sql`REVOKE INSERT ON ruled FROM ruled_one`
      const refused = yield* writing(into, rows)
      assert.match(refused.end.error ?? "", /permission denied for table ruled/)
    })
  )

  it.effect("writes the columns that it may, of a view or a table", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE TABLE base (id int PRIMARY KEY, x int)`
      yield* sql`CREATE VIEW doubled AS SELECT id, x, x * 2 AS twice FROM base`
      for (const x of [1, 2]) {
        const { lines, end } = yield* writing({ table: "doubled", key: ["id"] }, [
          { id: 1, x },
          { id: 2, twice: 4 }
        ])
        assert.strictEqual(end.error, undefined)
        assert.deepStrictEqual(reasons(lines), ['the table doubled has no column "twice"'])
      }
      assert.deepStrictEqual(yield* sql`SELECT id, x FROM base`, [{ id: 1, x: 2 }])
      yield* sql`CREATE VIEW handed AS SELECT id, x, x * 2 AS twice FROM base`
      yield* sql`CREATE FUNCTION hand() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO base VALUES (NEW.id, NEW.twice / 2); RETURN NEW; END $$`
      yield* sql`CREATE TRIGGER hand INSTEAD OF INSERT ON handed FOR EACH ROW EXECUTE FUNCTION hand()`
      const handed = yield* writing({ table: "handed" }, [{ id: 3, twice: 6 }])
      assert.deepStrictEqual([handed.end.error, handed.lines], [undefined, []])
      assert.deepStrictEqual(yield* sql`SELECT x FROM base WHERE id = 3`, [{ x: 3 }])

      yield* sql`CREATE TABLE shared (id int, x int, secret int)`
      yield* sql`CREATE ROLE sharer LOGIN PASSWORD 'word'`
      yield* sql`GRANT INSERT (id, x) ON shared TO sharer`
      const shared = yield* writing({ table: "shared", user: "sharer", password: "word" }, [{ id: 1, x: 2 }])
      assert.deepStrictEqual([shared.end.error, shared.lines], [undefined, []])
      assert.deepStrictEqual(yield* sql`SELECT id, x FROM shared`, [{ id: 1, x: 2 }])
    })
  )

  it.effect("gives a column of a domain that refuses null its default", () =>
    Effect.gen(function* () {
      const { sql } = yield* Shop
      yield* sql`CREATE SCHEMA "odd types"`
      yield* sql`CREATE DOMAIN "odd types"."Need" AS varchar(3) NOT NULL`
      yield* sql`CREATE TABLE needy (id "odd types"."Need" DEFAULT 'own', list int[], doc jsonb, "c 4" char(4))`
      const { lines, end } = yield* writing({ table: "needy" }, [
        { list: [1, 2], doc: { a: 1 }, "c 4": "x" },
        { id: "abc" },
        { id: null },
        { id: "abcd" },
        { id: "b", list: "none" }
      ])
      assert.strictEqual(end.error, undefined)
      assert.deepStrictEqual(reasons(lines), [
        'domain "odd types"."Need" does not allow null values (23502)',
        "column id: value too long for type character varying(3) (22001)",
        'column list: malformed array literal: "none" (22P02). Array value must start with "{" or dimension information.'
      ])
      assert.deepStrictEqual(yield* sql`SELECT id, list, doc, "c 4" AS c FROM needy ORDER BY id`, [
        { id: "abc", list: null, doc: null, c: null },
        { id: "own", list: [1, 2], doc: { a: 1 }, c: "x   " }
      ])
    })
  )
})
