import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { all, type Query } from "../../src/languages/query/Query.ts"
import { stores } from "./stores.ts"

const even: Query = { _tag: "Equals", field: "even", values: { texts: [], numbers: [], booleans: [true] } }

const some = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `d${String(from + n).padStart(6, "0")}`,
    source: { "@timestamp": Date.UTC(2026, n % 3, 1), even: n % 2 === 0, text: "x".repeat(200) }
  }))

for (const [name, store] of stores) {
  layer(store, { excludeTestServices: true })(`what is read from ${name}`, (it) => {
    it.effect("is counted, from where it begins and by the query", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("some", "some-a", some(0, 30))
        yield* search.write("some", "some-b", some(0, 12))
        const hits = yield* Stream.runCollect(search.read("some", "some-*", all))
        for (const [query, after] of [
          [all, undefined],
          [even, undefined],
          [all, hits[17]],
          [even, hits[40]]
        ] as const) {
          const totals: Array<number> = []
          const counted = (total: number) => void totals.push(total)
          const read = yield* Stream.runCollect(search.read("some", "some-*", query, { after, counted }))
          const rows = yield* Stream.runCollect(
            search.rows("some", "some-*", query, { fields: ["even"], as: "text", after, counted })
          )
          assert.deepStrictEqual([...new Set(totals), rows.length], [read.length, read.length])
        }
        let none = -1
        yield* Stream.runDrain(
          search.read("some", "none-*", all, {
            counted: (total) => {
              none = total
            }
          })
        )
        assert.strictEqual(none, 0)
      })
    )

    it.effect("is counted as it is read, whatever is written meanwhile", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("more", "more-x", some(0, 6000))
        const began = yield* Deferred.make<void>()
        const written = yield* Deferred.make<void>()
        const totals: Array<number> = []
        let seen = 0
        const counted = (total: number) => void totals.push(total)
        yield* Effect.all(
          [
            search.read("more", "more-x", all, { counted }).pipe(
              Stream.runForEachArray((hits) => {
                seen += hits.length
                return Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(written))
              })
            ),
            Deferred.await(began).pipe(
              Effect.andThen(search.write("more", "more-x", some(90_000, 50))),
              Effect.andThen(Deferred.succeed(written, undefined))
            )
          ],
          { concurrency: 2 }
        )
        assert.strictEqual(seen, 6000)
        assert.deepStrictEqual([...new Set(totals)], [6000])
        assert.strictEqual(yield* search.count("more", "more-x", all), 6050)
      })
    )
  })
}
