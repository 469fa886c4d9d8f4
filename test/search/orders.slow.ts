import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { parseAggregations } from "../../src/languages/query/aggregation/AggregationParser.ts"
import { all } from "../../src/languages/query/Query.ts"
import { isClose } from "./close.ts"
import { document, fields, randomOf } from "./generated.ts"
import { inMemory, onPostgres, stores } from "./stores.ts"

/** Hosts with the times and the paths of their requests. */
const requests: Readonly<Record<string, ReadonlyArray<readonly [took: number | null, path: string]>>> = {
  slow: [
    [900, "/a"],
    [1000, "/a"]
  ],
  spread: [
    [1, "/a"],
    [2, "/b"],
    [3, "/c"],
    [950, "/d"]
  ],
  quick: [
    [1, "/a"],
    [1, "/b"],
    [1, "/b"]
  ],
  silent: [
    [null, "/a"],
    [null, "/b"],
    [null, "/c"]
  ],
  once: [[5000, "/z"]]
}

const written = Object.entries(requests).flatMap(([host, all]) =>
  all.map(([took, path], at) => ({
    id: `${host}${at}`,
    source: { "@timestamp": `2026-03-0${at + 1}`, host, took, path, site: at === 0 ? "x" : "y" }
  }))
)

const parsed = (aggs: object) => Result.getOrThrow(parseAggregations(aggs, 0, ""))

const metrics = {
  p: { percentiles: { field: "took", percents: [50, 95] } },
  paths: { cardinality: { field: "path" } },
  total: { sum: { field: "took" } }
}

interface Buckets {
  readonly sum_other_doc_count: number
  readonly buckets: ReadonlyArray<{ readonly key: string; readonly total: { readonly value: number } }>
}

for (const [name, store] of stores) {
  layer(store)(`buckets ordered by any metric, in ${name}`, (it) => {
    it.effect("are those that come first of all, and have their other metrics", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("t", "t-orders", written)
        const terms = (order: object, settings: object = {}, aggs: object = metrics) =>
          Effect.map(
            search.aggregate(
              "t",
              "t-orders",
              all,
              parsed({ a: { terms: { field: "host", order, ...settings }, aggs } })
            ),
            ({ a }) => a as Buckets
          )
        const keys = (order: object, settings?: object) =>
          Effect.map(terms(order, settings), ({ buckets }) => buckets.map(({ key }) => key))
        assert.deepStrictEqual(yield* keys({ "p.95": "desc" }), ["once", "slow", "spread", "quick", "silent"])
        assert.deepStrictEqual(yield* keys({ "p.50.0": "asc" }), ["quick", "spread", "slow", "once", "silent"])
        assert.deepStrictEqual(yield* keys({ paths: "desc" }), ["spread", "silent", "quick", "once", "slow"])
        assert.deepStrictEqual(yield* keys({ paths: "asc" }, { min_doc_count: 2 }), [
          "slow",
          "quick",
          "silent",
          "spread"
        ])
        const two = yield* terms({ "p.95": "desc" }, { size: 2 })
        assert.deepStrictEqual(
          two.buckets.map(({ key, total }) => [key, total.value]),
          [
            ["once", 5000],
            ["slow", 1900]
          ]
        )
        assert.strictEqual(two.sum_other_doc_count, 10)
      })
    )

    it.effect("can be two deep, and by date", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("t", "t-orders", written)
        const host = { terms: { field: "host", size: 1, order: { "p.95": "desc" } }, aggs: metrics }
        const { a } = yield* search.aggregate(
          "t",
          "t-orders",
          all,
          parsed({ a: { terms: { field: "site", order: { paths: "desc" } }, aggs: { host, paths: metrics.paths } } })
        )
        const sites = (a as { buckets: ReadonlyArray<{ key: string; host: Buckets }> }).buckets
        assert.deepStrictEqual(
          sites.map(({ key, host }) => [key, host.buckets.map(({ key }) => key), host.sum_other_doc_count]),
          [
            ["y", ["slow"], 7],
            ["x", ["once"], 4]
          ]
        )
        const day = {
          date_histogram: { field: "@timestamp", calendar_interval: "day", order: { "p.50": "desc" } },
          aggs: { p: { percentiles: { field: "took", percents: [50], keyed: false } } }
        }
        const { d } = yield* search.aggregate("t", "t-orders", all, parsed({ d: day }))
        const days = (d as { buckets: ReadonlyArray<{ key_as_string: string }> }).buckets
        assert.deepStrictEqual(
          days.map(({ key_as_string }) => key_as_string.slice(8, 10)),
          ["04", "01", "02", "03"]
        )
      })
    )
  })
}

layer(onPostgres)("buckets of any documents, ordered by any metric", (it) => {
  it.effect("are those of the model, and the first ones of all buckets", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const memory = Context.get(yield* Layer.build(inMemory), Search)
      const random = randomOf(88)
      const some = Array.from({ length: 200 }, (_, n) => ({ id: `d${n}`, source: JSON.stringify(document(random)) }))
      yield* Effect.all([search.write("t", "t-any", some), memory.write("t", "t-any", some)])
      for (let run = 0; run < 40; run++) {
        const [by, way] = [random.pick(["c", "p.50"]), random.pick(["asc", "desc"])]
        const field = random.pick(fields)
        const aggs = {
          c: { cardinality: { field: random.pick(fields) } },
          p: { percentiles: { field: random.pick([...fields, "@timestamp"]), percents: [50] } },
          s: { stats: { field: random.pick(fields) } }
        }
        const ask = (store: Search["Service"], size: number) =>
          store.aggregate(
            "t",
            "t-any",
            all,
            parsed({
              a: { terms: { field, size, order: { [by]: way } }, aggs },
              b: { terms: { field: "b", size: 3 }, aggs: { a: { terms: { field, size, order: { [by]: way } }, aggs } } }
            })
          )
        const size = 1 + random.below(4)
        const [mine, theirs] = [yield* ask(search, size), yield* ask(memory, size)]
        const told = `${field} by ${by} ${way}: ${JSON.stringify(aggs)}`
        if (!isClose(mine, theirs)) assert.deepStrictEqual(mine, theirs, told)
        const whole = (yield* ask(search, 1000)).a as Buckets
        if (!isClose((mine.a as Buckets).buckets, whole.buckets.slice(0, size)))
          assert.deepStrictEqual((mine.a as Buckets).buckets, whole.buckets.slice(0, size), told)
      }
    })
  )
})
