import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { keyColumn } from "../../src/drivers/search/aggregations/GroupKeys.ts"
import { sweepParts } from "../../src/drivers/search/indices/Catalog.ts"
import { groupsOf } from "../../src/drivers/search/reading/PartGroups.ts"
import { anyReadings } from "../../src/drivers/search/reading/Readings.ts"
import { Search, TooManyIndices } from "../../src/drivers/search/Search.ts"
import { compact } from "../../src/drivers/search/statements/CompactStatement.ts"
import { all } from "../../src/languages/query/Query.ts"
import { until } from "../support/process.ts"
import { Database, inMemory, onDatabase } from "./stores.ts"

const tenant = "t"

const monthOf = (at: number): string => new Date(Date.UTC(2020, at)).toISOString()

/** Documents of three indices in 20 months each, of other ages, and without a date. */
const fill = Effect.gen(function* () {
  const search = yield* Search
  for (const [index, from] of [
    ["t-a", 0],
    ["t-b", 5],
    ["t-c", 12]
  ] as const) {
    const dated = Array.from({ length: 20 }, (_, at) => ({
      id: `${index}${at}`,
      source: { "@timestamp": monthOf(from + at), n: at }
    }))
    const others = [
      { id: `${index}old`, source: { "@timestamp": "1970-05-01T00:00:00Z", n: 1 } },
      { id: `${index}late`, source: { "@timestamp": "2150-05-01T00:00:00Z", n: 2 } },
      { id: `${index}none`, source: { n: 3 } }
    ]
    assert.deepStrictEqual((yield* search.write(tenant, index, [...dated, ...others])).rejected, [])
  }
})

const lines = () => {
  let text = ""
  return {
    add: (bytes: Uint8Array, at: number) => {
      // The one field, behind its length.
      const end = at + 4 + Buffer.from(bytes).readInt32BE(at)
      text += `${Buffer.from(bytes.subarray(at + 4, end)).toString()}\n`
    },
    get size() {
      return text.length
    },
    take: () => {
      const bytes = Buffer.from(text)
      text = ""
      return bytes
    }
  }
}

/** All results of a search over all indices. */
const found = Effect.gen(function* () {
  const search = yield* Search
  const totals: Array<number> = []
  const counted = (total: number) => {
    totals.push(total)
  }
  const whole = yield* Stream.runCollect(search.read(tenant, "t-*", all, { counted }))
  const rows = yield* Stream.runCollect(search.rows(tenant, "t-*", all, { fields: ["n"], as: "text", counted }))
  const encoded = yield* Stream.runCollect(
    search.encoded(tenant, "t-*", all, { fields: ["n"], encoder: lines, counted })
  )
  const pages: Array<string> = []
  for (let after = undefined as (typeof whole)[number] | undefined; ; ) {
    const { hits, more } = yield* search.page(tenant, "t-*", all, { limit: 17, bytes: 2 ** 20, after })
    pages.push(...hits.map(({ id }) => id))
    if (!more) break
    after = hits.at(-1)
  }
  return {
    ids: whole.map(({ id }) => id),
    rows,
    text: encoded.map(({ bytes }) => Buffer.from(bytes).toString()).join(""),
    pages,
    count: yield* search.count(tenant, "t-*", all),
    totals
  }
})

layer(onDatabase, { excludeTestServices: true })("a search of more parts than one statement opens", (it) => {
  it.effect("finds the same in the same order", () =>
    Effect.gen(function* () {
      yield* fill
      const expected = yield* Effect.andThen(fill, found).pipe(Effect.provide(inMemory))
      const own = yield* found
      assert.strictEqual(own.count, 69)
      assert.deepStrictEqual(own.totals.at(-1), 69)
      assert.deepStrictEqual({ ...own, totals: [] }, { ...expected, totals: [] })
    })
  )

  it.effect("gives locks back on its way, and is not disturbed by a removal", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const sql = yield* Database
      const locks: Array<number> = []
      const tables = sql<{
        count: number
      }>`select count(*)::float8 as count from pg_class where relname ~ '^search_part_\\d+$'`
      const [before] = yield* tables
      const ids = yield* search.read(tenant, "t-*", all).pipe(
        Stream.rechunk(1),
        Stream.mapEffect(
          Effect.fnUntraced(function* ({ id }) {
            if (locks.length === 0) {
              yield* search.drop(tenant, "t-b")
              yield* sweepParts(sql)
            }
            const [held] = yield* sql<{ count: number }>`
              select coalesce(max(count), 0)::float8 as count from (
                select count(distinct relation) as count from pg_locks join pg_class on oid = relation
                where relname ~ '^search_part_\\d+$' and pid <> pg_backend_pid() group by pid) as each`
            locks.push(held?.count ?? 0)
            return id
          })
        ),
        Stream.runCollect
      )
      assert.strictEqual(ids.length, 69)
      assert.isAtMost(Math.max(...locks), 32)
      assert.isAbove(before?.count ?? 0, 60)
      // The tables of the removed index go when nobody reads them; the next removal looks again.
      yield* search.drop(tenant, "t-c")
      yield* until(tables, ([now]) => now?.count === 21)
    })
  )

  it.effect("sends the starts of a histogram's buckets once, and not for each part", () =>
    Effect.gen(function* () {
      const sql = yield* Database
      const dates = { _tag: "dates", field: "@timestamp", starts: [0, 3_600_000] } as const
      const column = keyColumn(sql, dates, anyReadings)
      const [, parameters] = compact(sql`select ${column.of("a")}, ${column.of("b")}, ${column.of("c")}`)
      assert.deepStrictEqual(
        parameters.filter((one) => Array.isArray(one)),
        [["0", "3600000"]]
      )
    })
  )

  it.effect("is refused when too many indices have documents of one month", () =>
    Effect.gen(function* () {
      const sql = yield* Database
      const search = yield* Search
      yield* sql`insert into search_indices (tenant, name) select 'many', 'many-' || n from generate_series(1, 70) as n`
      yield* sql`
        insert into search_parts (no, month) select no, '2026-01' from search_indices where tenant = 'many'`
      const refused = yield* Effect.flip(search.page("many", "many-*", all, { limit: 1, bytes: 2 ** 20 }))
      assert.match(refused instanceof TooManyIndices ? refused.detail : "", /70 indices .* at most 64 can be searched/)
      assert.strictEqual((yield* Effect.flip(search.count("many", "many-*", all)))._tag, "TooManyIndices")
    })
  )

  it.effect("has limits for a tenant's indices and parts", () =>
    Effect.gen(function* () {
      const sql = yield* Database
      const search = yield* Search
      const write = (tenant: string, index: string, at: number) =>
        search.write(tenant, `${tenant}-${index}`, [{ source: { "@timestamp": monthOf(at) } }])
      yield* sql`insert into search_indices (tenant, name) select 'full', 'full-' || n from generate_series(1, 999) as n`
      assert.strictEqual((yield* write("full", "last", 1)).written, 1)
      assert.match(
        (yield* write("full", "over", 1)).rejected[0]?.reason ?? "",
        /has 1000 indices, which is the maximum/
      )
      yield* sql`
        insert into search_parts (no, month) select no, n from generate_series(1, 4999) as n, search_indices
        where tenant = 'full' and name = 'full-1'`
      for (const at of [1, 2, 3]) assert.strictEqual((yield* write("full", "last", at)).written, 1)
      const parts = yield* sql<{ month: string }>`
        select month from search_parts join search_indices using (no) where name = 'full-last' order by month`
      assert.deepStrictEqual(
        parts.map(({ month }) => month),
        ["", "2020-02"]
      )
    })
  )
})

describe("groups of parts", () => {
  it("are small where the statement for each part is long", () => {
    const parts = Array.from({ length: 200 }, (_, at) => ({ index: "t-a", no: 1, part: at, month: `2000-${at + 10}` }))
    const sizesOf = (size: { readonly parameters: number; readonly pieces: number }) => {
      const groups = groupsOf(parts, size)
      return groups instanceof TooManyIndices ? groups.detail : Math.max(...groups.map((group) => group.parts.length))
    }
    assert.strictEqual(sizesOf({ parameters: 16_000, pieces: 10 }), 4)
    assert.strictEqual(sizesOf({ parameters: 10, pieces: 20_000 }), 3)
    assert.match(String(sizesOf({ parameters: 10, pieces: 90_000 })), /by such a long query: name fewer of them$/)
  })

  it("cover every part once, or as often as it has documents of several times", () => {
    const parts = Array.from({ length: 22 * 240 }, (_, at) => ({
      index: `t-${at % 22}`,
      no: at % 22,
      part: at,
      month: new Date(Date.UTC(2000, Math.floor(at / 22))).toISOString().slice(0, 7)
    }))
    const groups = groupsOf(parts)
    assert.isFalse(groups instanceof TooManyIndices)
    if (groups instanceof TooManyIndices) return
    assert.isAtMost(Math.max(...groups.map((group) => group.parts.length)), 32)
    assert.deepStrictEqual(
      groups.flatMap((group) => group.parts),
      parts
    )
    for (const [at, { slice }] of groups.entries()) assert.deepStrictEqual(slice.from, groups[at - 1]?.slice.to)
  })
})
