import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result, Stream } from "effect"
import { parseQuery } from "../../src/services/search/Parser.ts"
import { Search } from "../../src/services/search/Search.ts"
import { document, query, randomOf } from "./generated.ts"
import { inMemory, onPostgres } from "./stores.ts"

const batches = 8
const documents = 120
const queries = 80
const now = Date.UTC(2026, 10, 21)

layer(onPostgres)("a query in PostgreSQL", (it) => {
  it.effect(
    "finds what the clauses say, whatever the documents and the query",
    () =>
      Effect.gen(function* () {
        const search = yield* Search
        const memory = Context.get(yield* Layer.build(inMemory), Search)
        let [understood, found] = [0, 0]
        for (let batch = 0; batch < batches; batch++) {
          const random = randomOf(1000 + batch)
          const written = Array.from({ length: documents }, (_, index) => ({
            id: `d${index}`,
            source: document(random)
          }))
          const index = `t-${batch}`
          yield* Effect.all([search.write("t", index, written), memory.write("t", index, written)])
          for (let run = 0; run < queries; run++) {
            const asked = query(random)
            const parsed = parseQuery(asked, now)
            if (Result.isFailure(parsed)) continue
            understood++
            const ids = (in_: Search["Service"]) =>
              Effect.map(Stream.runCollect(in_.read("t", index, parsed.success)), (hits) => hits.map(({ id }) => id))
            const told = `batch ${batch}, run ${run}: ${JSON.stringify(asked)}`
            const mine = yield* Effect.catchDefect(ids(search), (defect) =>
              Effect.die(new Error(told, { cause: defect }))
            )
            assert.deepStrictEqual(mine, yield* ids(memory), told)
            if (mine.length > 0 && mine.length < documents) found++
          }
        }
        // Queries that find nothing, or everything, prove little.
        assert.isAbove(understood, 500)
        assert.isAbove(found, understood / 4)
      }),
    60_000
  )
})
