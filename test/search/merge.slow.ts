import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Result, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import { partsFor, selectHits } from "../../src/drivers/search/reading/Select.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import { compact } from "../../src/drivers/search/statements/CompactStatement.ts"
import { readRaw } from "../../src/languages/json/JsonNumbers.ts"
import { placeOf } from "../../src/languages/query/Instant.ts"
import { merged } from "../../src/languages/query/Merge.ts"
import type { Query } from "../../src/languages/query/Query.ts"
import { parseQuery } from "../../src/languages/query/QueryParser.ts"
import { storableJson } from "../../src/languages/query/StoredText.ts"
import { timesOf } from "../../src/languages/query/Times.ts"
import { holds } from "../memory/Evaluate.ts"
import { freshDatabase } from "../support/postgres.ts"
import { query as anyQuery, document, randomOf } from "./generated.ts"

const parsed = (query: unknown): Query => Result.getOrThrow(parseQuery(query, 0))

const kinds: ReadonlyArray<(n: number) => object> = [
  (n) => ({ term: { host: `x${n}` } }),
  (n) => ({ range: { status: { gt: 1000 + n } } }),
  (n) => ({ wildcard: { message: `*nothing${n}*here` } }),
  (n) => ({ match: { message: `nothing${n}` } }),
  (n) => ({ match_phrase: { message: `no such${n} phrase` } })
]
const clauses = (count: number) => Array.from({ length: count }, (_, n) => kinds[n % kinds.length]!(n))

describe("a merged query", () => {
  it("matches the same documents, whatever they and the query are", () => {
    const random = randomOf(31)
    let matches = 0
    for (let run = 0; run < 400; run++) {
      const found = parseQuery(
        readRaw(
          JSON.stringify({
            bool: { should: [anyQuery(random), anyQuery(random)], must_not: [anyQuery(random), anyQuery(random)] }
          })
        ),
        0
      )
      if (Result.isFailure(found)) continue
      const small = merged(found.success)
      const times = timesOf(found.success)
      for (let at = 0; at < 8; at++) {
        const source = document(random)
        const json = storableJson(JSON.stringify(source))
        const stored = { id: `d${at}`, index: "t-x", at: placeOf(source["@timestamp"]), value: readRaw(json) }
        const isMatch = holds(found.success, stored)
        assert.strictEqual(holds(small, stored), isMatch, JSON.stringify([found.success, source]))
        if (!isMatch) continue
        matches++
        if (Number(stored.at) < 1e18) assert.isTrue(times.from <= Number(stored.at) && Number(stored.at) <= times.to)
      }
    }
    assert.isAbove(matches, 200)
  })

  it("is refused when its patterns do not merge", () => {
    const faults = (query: unknown) =>
      Result.match(parseQuery(query, 0), { onSuccess: () => "", onFailure: ([issue]) => issue?.detail ?? "" })
    assert.strictEqual(faults({ bool: { should: clauses(300) } }), "")
    assert.strictEqual(faults({ bool: { must: clauses(300) } }), "")
    assert.strictEqual(faults({ bool: { must_not: clauses(300) } }), "")
    assert.strictEqual(
      faults({
        match: {
          a: {
            query: clauses(40)
              .map((_, n) => `w${n}`)
              .join(" "),
            operator: "and"
          }
        }
      }),
      ""
    )
    assert.match(
      faults({ bool: { should: clauses(300), minimum_should_match: 2 } }),
      /^Each document would be compared with 180 patterns, words or phrases that do not merge; at most 30 can be$/
    )
  })
})

describe("a search of 240 months by 300 clauses", () => {
  it.live("opens the parts that its dates leave, sends each value once, and lets others read", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* PgClient.make({ url, maxConnections: 2 })
      const layer = Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections: 4 })))
      const search = Context.get(yield* Layer.build(layer), Search)
      yield* search.write("t", "t-x", [{ id: "a", source: { "@timestamp": "2010-03-05", message: "no such4 phrase" } }])
      yield* search.write("few", "few-x", [{ id: "b", source: {} }])
      const [index] = yield* sql<{ name: string; no: number }>`
        select name, no from search_indices where tenant = 't'`
      // The other months, all with the table of one, which is empty.
      yield* sql`insert into search_parts (no, month) select ${index!.no}, to_char(at, 'YYYY-MM')
        from generate_series('2000-01-01'::timestamp, '2019-12-01', '1 month') as at on conflict do nothing`
      const parts = yield* sql<{ part: number }>`select part from search_parts where no = ${index!.no} order by part`
      for (const { part } of parts.slice(1))
        yield* sql`create table ${sql(`search_part_${part}`)} (id text collate "C" primary key, ts bigint, doc jsonb)`
      const any = { bool: { should: clauses(300) } }
      const dated = { bool: { filter: [any, { range: { "@timestamp": { gte: "2010-03-01", lt: "2010-05-01" } } }] } }

      const known = yield* partsFor(sql, "t", [index!], parsed(any))
      assert.lengthOf(known, 240)
      assert.deepStrictEqual(
        (yield* partsFor(sql, "t", [index!], parsed(dated))).map(({ month }) => month),
        ["2010-03", "2010-04"]
      )
      const all = { from: undefined, to: undefined }
      const [text, values] = compact(selectHits(sql, { parts: known.slice(0, 32), slice: all }, parsed(any), {}))
      assert.isBelow(values.length, 40)
      assert.isBelow(text.length, 16_000)
      const expressions =
        values
          .filter((value) => typeof value === "string")
          .join()
          .split("like_regex").length - 1
      assert.isAtMost(expressions, 4)

      // Five concurrently; others are answered before the last of them.
      let ended = 0
      const searches = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        search.page("t", "t-x", parsed(any), { limit: 10, bytes: 1024 }).pipe(
          Effect.tap(() => Effect.sync(() => ended++)),
          Effect.forkChild
        )
      )
      const other = yield* search.page("few", "few-x", parsed({}), { limit: 1, bytes: 1024 })
      assert.lengthOf(other.hits, 1)
      assert.isBelow(ended, 5)
      for (const page of yield* Effect.forEach(searches, Fiber.join))
        assert.deepStrictEqual(
          page.hits.map(({ id }) => id),
          ["a"]
        )
      assert.lengthOf(yield* Stream.runCollect(search.read("t", "t-x", parsed(dated))), 1)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
