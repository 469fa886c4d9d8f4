import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { Database, onDatabase, stores } from "./stores.ts"

const written = [
  { id: "a", source: { "@timestamp": "2026-03-01", n: null, user: { name: "ann" }, list: [{ deep: [1] }] } },
  { id: "b", source: { "@timestamp": "2026-04-01", "user.age": 5, empty: [], flag: false } }
]

for (const [name, store] of stores) {
  layer(store)(`missing fields in ${name}`, (it) => {
    it.effect("are those without a value in any document, whatever their path", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("t", "t-fields", written)
        const fields = ["n", "user", "user.name", "user.age", "list.deep", "flag", "none", "user.none", "_id", "x'\"y"]
        const { missing, known } = yield* search.missingFields("t", "t-*", fields)
        assert.deepStrictEqual(missing, ["n", "none", "user.none", "x'\"y"])
        assert.deepStrictEqual([...known].sort(), ["@timestamp", "flag", "list.deep", "user.age", "user.name"])
        assert.deepStrictEqual((yield* search.missingFields("t", "t-*", ["flag"])).missing, [])
        assert.deepStrictEqual(yield* search.missingFields("t", "other-*", ["none"]), { missing: [], known: [] })
      })
    )
  })
}

for (const [name, store] of stores) {
  layer(store)(`known fields in ${name}`, (it) => {
    it.effect("are those of all indices of the pattern, with every type that a value has", () =>
      Effect.gen(function* () {
        const search = yield* Search
        yield* search.write("t", "t-fields", written)
        yield* search.write("t", "t-other", [{ id: "c", source: { n: "x", list: [1], "nul\u0000": true } }])
        yield* search.write("other", "other-fields", [{ id: "d", source: { foreign: 1 } }])
        assert.deepStrictEqual(yield* search.fields("t", "t-*"), {
          fields: [
            { name: "@timestamp", types: ["text"] },
            { name: "empty", types: ["list"] },
            { name: "flag", types: ["boolean"] },
            { name: "list", types: ["list", "object"] },
            { name: "list.deep", types: ["list"] },
            { name: "n", types: ["text"] },
            { name: "nul\u0000", types: ["boolean"] },
            { name: "user.age", types: ["number"] },
            { name: "user.name", types: ["text"] }
          ],
          more: false
        })
        assert.deepStrictEqual(yield* search.fields("t", "none-*"), { fields: [], more: false })
        assert.strictEqual((yield* Effect.flip(search.fields("t", "other-fields")))._tag, "NotFound")
      })
    )
  })
}

layer(onDatabase, { excludeTestServices: true })("a search for missing fields", (it) => {
  it.effect("gives up when it takes long, and says that none is missing", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const sql = yield* Database
      yield* search.write("t", "t-fields", written)
      const [row] = yield* sql<{ part: number }>`select part from search_parts order by part limit 1`
      const [locked, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const lock = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`lock table ${sql(`search_part_${row?.part}`)} in access exclusive mode`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(answered)
          })
        )
      )
      yield* Deferred.await(locked)
      assert.deepStrictEqual(yield* search.missingFields("t", "t-*", ["none"]), { missing: [], known: [] })
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(lock)
      assert.deepStrictEqual((yield* search.missingFields("t", "t-*", ["none"])).missing, ["none"])
    })
  )
})
