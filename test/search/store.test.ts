import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted, Stream } from "effect"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import { readRaw } from "../../src/languages/json/JsonNumbers.ts"
import type { Key } from "../../src/languages/query/IndexedDocument.ts"
import { all, type Query } from "../../src/languages/query/Query.ts"
import { document, isSame, randomOf } from "./generated.ts"
import { stores } from "./stores.ts"

const idsOf = (tenant: string, pattern: string, query: Query = all, after?: Key) =>
  Effect.gen(function* () {
    const search = yield* Search
    return (yield* Stream.runCollect(search.read(tenant, pattern, query, { after }))).map(({ id }) => id)
  })

for (const [name, store] of stores) {
  layer(store, { excludeTestServices: true })(`documents in ${name}`, (it) => {
    it.effect("come back as they were written, by time and id", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const written = yield* search.write("one", "one-logs", [
          { id: "b", source: { "@timestamp": "2026-03-10T14:12:27Z", n: 1 } },
          { id: "a", source: { "@timestamp": "2026-03-10T15:12:27+01:00", n: 2 } },
          { id: "c", source: { n: 3 } },
          {
            id: "d",
            source: '{"@timestamp": 0, "n": 12345678901234567890.25, "t\\u0000": "\\u0000\\ud800x\\ue0f1\\\\u0000"}'
          },
          { source: { "@timestamp": "2024-01-01" } }
        ])
        assert.deepStrictEqual(written, { written: 5, rejected: [] })
        const found = yield* Stream.runCollect(search.read("one", "one-*", all))
        assert.deepStrictEqual(
          found.map(({ id }) => (id.length > 1 ? "?" : id)),
          ["d", "?", "a", "b", "c"]
        )
        assert.match(found[0]?.source ?? "", /12345678901234567890\.25/)
        assert.strictEqual(JSON.parse(found[0]?.source ?? "")["t\u0000"], "\u0000\ud800x\ue0f1\\u0000")
        assert.strictEqual(yield* search.count("one", "one-logs", all), 5)
        assert.deepInclude((yield* search.indices("one"))[0], {
          name: "one-logs",
          documents: 5,
          from: "1970-01-01T00:00:00.000Z",
          to: "2026-03-10T14:12:27.000Z"
        })
      })
    )

    it.effect("come back equal, whatever they hold", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const random = randomOf(7)
        const sources = Array.from({ length: 500 }, () => document(random))
        yield* search.write(
          "any",
          "any-thing",
          sources.map((source, n) => ({ id: `d${n}`, source }))
        )
        const found = yield* Stream.runCollect(search.read("any", "any-thing", all))
        assert.lengthOf(found, 500)
        for (const { id, source } of found) {
          assert.isTrue(isSame(readRaw(source), sources[Number(id.slice(1))]), source)
        }
      })
    )

    it.effect("take the place of those with their ids, whatever their times", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const at = (id: string, month: number, n: number) => ({
          id,
          source: { "@timestamp": new Date(Date.UTC(2026, month, 2)).toISOString(), n }
        })
        yield* search.write("ids", "ids-x", [at("a", 0, 1), at("b", 1, 1), at("a", 1, 2)])
        yield* search.write("ids", "ids-x", [at("b", 0, 2), { id: "c", source: {} }])
        yield* search.write("ids", "ids-x", [at("c", 3, 1)])
        assert.deepStrictEqual(yield* idsOf("ids", "ids-x"), ["b", "a", "c"])
        // Writers that concurrently move the same ids between months leave one document of each.
        const ids = Array.from({ length: 20 }, (_, n) => `k${n}`)
        yield* Effect.forEach(
          Array.from({ length: 24 }, (_, n) => n),
          (n) =>
            search.write(
              "ids",
              "ids-y",
              (n % 2 === 0 ? ids : ids.toReversed()).map((id) => at(id, n % 5, n))
            ),
          { concurrency: 8 }
        )
        assert.deepStrictEqual((yield* idsOf("ids", "ids-y")).toSorted(), ids.toSorted())
      })
    )

    it.effect("are refused one by one when they cannot be kept", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const given = [
          { id: "", source: {} },
          { id: "x".repeat(513), source: {} },
          { id: "é".repeat(256), source: {} },
          { id: "text", source: "[1]" },
          { id: "broken", source: "{" },
          { id: "deep", source: `{"n": ${"[".repeat(1001)}${"]".repeat(1001)}}` },
          { id: "large", source: JSON.stringify({ text: "é".repeat(2 ** 22) }) },
          { id: "numbers", source: `{"n": [${"1e100000,".repeat(100)}0], "text": "\\\\\\"[["}` },
          { id: "fine", source: {} },
          { id: "levels", source: `{"n": ${"[".repeat(999)}${"]".repeat(999)}, "text": "\\"${"[".repeat(5000)}\\\\"}` },
          { id: "hex", source: `{"n": "7e99999999, 1e99999999]", "m": 1e10}` }
        ]
        const { written, rejected } = yield* search.write("odd", "odd-x", given)
        assert.deepStrictEqual([written, rejected.map(({ at }) => at)], [4, [0, 1, 3, 4, 5, 6, 7]])
        if (name === "memory") return
        const large = [
          { id: "1", source: '{"n": 1e999999}' },
          { id: "2", source: "{}" }
        ]
        assert.deepStrictEqual(
          (yield* search.write("odd", "odd-y", large)).rejected.map(({ at }) => at),
          [0]
        )
      })
    )

    it.effect("are the tenant's own", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("a-b", "a-b-x", [{ id: "secret", source: {} }])
        yield* search.write("a", "a-x", [{ id: "own", source: {} }])
        for (const pattern of ["a-b-x", "a-x,a-b-x", "a-none"]) {
          const error = yield* Effect.flip(search.count("a", pattern, all))
          assert.strictEqual(error._tag, "NotFound", pattern)
        }
        assert.deepStrictEqual(yield* idsOf("a", "*"), ["own"])
        assert.deepStrictEqual(yield* idsOf("a", "a-b-*"), [])
        assert.deepStrictEqual(yield* idsOf("a", "a-*,-a-x*"), [])
        assert.deepStrictEqual(yield* idsOf("a", "a-*, -a-x, a-?"), ["own"])
        assert.deepStrictEqual(yield* idsOf("a-b", "a-*"), ["secret"])
        // The same name for both: a-b-x is a name that the tenant "a" may have, too.
        yield* search.write("a", "a-b-x", [{ id: "other", source: {} }])
        assert.deepStrictEqual(yield* idsOf("a-b", "a-b-x"), ["secret"])
        yield* search.drop("a", "a-b-x")
        assert.deepStrictEqual(yield* idsOf("a-b", "a-b-x"), ["secret"])
        for (const index of ["b-x", "a", "a-", "a-X", "a-x y", "a-*", `a-${"x".repeat(200)}`]) {
          assert.strictEqual((yield* Effect.flip(search.write("a", index, [])))._tag, "NotFound", index)
        }
      })
    )

    it.effect("can be read on from any of them", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const random = randomOf(11)
        for (const index of ["on-a", "on-b"]) {
          const some = Array.from({ length: 60 }, (_, n) => ({
            id: `d${n}`,
            source: random.chance(0.2) ? {} : { "@timestamp": Date.UTC(2026, random.below(4), 1 + random.below(2)) }
          }))
          yield* search.write("on", index, some)
        }
        const hits = yield* Stream.runCollect(search.read("on", "on-*", all))
        assert.lengthOf(hits, 120)
        for (let at = 0; at < hits.length; at += 9) {
          const rest = yield* Stream.runCollect(search.read("on", "on-*", all, { after: hits[at] }))
          assert.deepStrictEqual(rest, hits.slice(at + 1))
          const page = yield* search.page("on", "on-*", all, { limit: 5, bytes: 2 ** 20, after: hits[at] })
          assert.deepStrictEqual(page, { hits: hits.slice(at + 1, at + 6), more: at + 6 < hits.length })
        }
        const rows = yield* Stream.runCollect(
          search.rows("on", "on-*", all, { fields: ["@timestamp", "no.ne"], as: "text" })
        )
        assert.deepStrictEqual(
          rows,
          hits.map(({ source }) => ({
            "@timestamp": JSON.parse(source)["@timestamp"]?.toString() ?? null,
            "no.ne": null
          }))
        )
      })
    )

    it.effect("are there or not while their index is removed and made again", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const patiently = <A, E extends { readonly _tag: string }>(work: Effect.Effect<A, E>) =>
          Effect.catchIf(
            work,
            ({ _tag }) => _tag === "NotFound",
            () => Effect.void
          )
        for (let round = 0; round < 15; round++) {
          yield* search.write("gone", "gone-x", [{ id: "a", source: {} }])
          const found = yield* Effect.all(
            [
              patiently(search.drop("gone", "gone-x")),
              ...Array.from({ length: 6 }, () => idsOf("gone", "gone-*")),
              patiently(search.write("gone", "gone-x", [{ id: "a", source: { round } }])),
              search.count("gone", "gone-*", all),
              search.indices("gone")
            ],
            { concurrency: "unbounded" }
          )
          assert.lengthOf(found, 10)
        }
      })
    )

    it.effect("are read to the end by those who began before a write or a removal", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const some = (from: number) =>
          Array.from({ length: 20_000 }, (_, n) => ({
            id: `d${from + n}`,
            source: { "@timestamp": n, text: "x".repeat(200) }
          }))
        yield* search.write("long", "long-x", some(0))
        const began = yield* Deferred.make<void>()
        let seen = 0
        yield* Effect.all(
          [
            search.read("long", "long-x", all).pipe(
              Stream.runForEachArray((hits) => {
                seen += hits.length
                return Effect.andThen(Deferred.succeed(began, undefined), Effect.sleep("1 millis"))
              })
            ),
            Deferred.await(began).pipe(
              Effect.andThen(search.write("long", "long-x", some(50_000))),
              Effect.andThen(search.drop("long", "long-x"))
            )
          ],
          { concurrency: 2 }
        )
        assert.strictEqual(seen, 20_000)
        assert.strictEqual((yield* Effect.flip(search.drop("long", "long-x")))._tag, "NotFound")
      })
    )
  })
}

const nowhere = Postgres.layer.pipe(
  Layer.provide(
    Layer.succeed(Postgres.SearchConfig, {
      url: Redacted.make("postgres://x:y@127.0.0.1:1/z"),
      connections: 2,
      patience: 200
    })
  )
)

layer(nowhere, { excludeTestServices: true })("documents in a database that is away", (it) => {
  it.effect("are a storage that cannot be reached", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const tries: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        search.indices("a"),
        search.count("a", "a-x", all),
        search.write("a", "a-x", [{ source: {} }]),
        search.page("a", "a-x", all, { limit: 1, bytes: 1024 }),
        Stream.runDrain(search.read("a", "a-x", all)),
        search.drop("a", "a-x")
      ]
      for (const one of tries) assert.strictEqual((yield* Effect.flip(one))._tag, "StorageUnreachable")
    })
  )
})
