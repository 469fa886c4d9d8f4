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
})
