import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result, Stream } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { readDigits, readRaw } from "../../src/languages/json/JsonNumbers.ts"
import { all } from "../../src/languages/query/Query.ts"
import { parseQuery } from "../../src/languages/query/QueryParser.ts"
import { document, fields, isSame, query, randomOf } from "./generated.ts"
import { inMemory, onPostgres } from "./stores.ts"

/** The value of a JSON text, or the text. */
const readOr = (text: string | null | undefined): unknown => {
  try {
    return readRaw(text ?? "null")
  } catch {
    return text
  }
}

const batches = 5
const documents = 120
const queries = 80
const now = Date.UTC(2026, 10, 21)

layer(onPostgres)("a query in PostgreSQL", (it) => {
  it.effect("finds what the clauses say, whatever the documents and the query", () =>
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
          const asked = readDigits(JSON.stringify(query(random)))
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
      assert.isAbove(understood, 300)
      assert.isAbove(found, understood / 4)
    })
  )

  it.effect("shows the fields of documents as the evaluator does", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const memory = Context.get(yield* Layer.build(inMemory), Search)
      const names = [...fields, "a.0", "a.0.b", "__proto__", "x.__proto__.y"]
      const random = randomOf(77)
      const odd = ['{"__proto__": 1}', '{"x": [{"__proto__": {"y": 2}}, {"__proto__": {"y": null}}]}']
      const written = Array.from({ length: 800 }, (_, index) => ({
        id: `d${index}`,
        source: odd[index] ?? JSON.stringify(document(random))
      }))
      yield* Effect.all([search.write("t", "t-rows", written), memory.write("t", "t-rows", written)])
      for (const as of ["text", "json"] as const) {
        const rows = (in_: Search["Service"]) => Stream.runCollect(in_.rows("t", "t-rows", all, { fields: names, as }))
        const [mine, theirs] = [yield* rows(search), yield* rows(memory)]
        assert.lengthOf(mine, written.length)
        let values = 0
        for (const [at, row] of mine.entries()) {
          const other = theirs[at]!
          assert.sameMembers(Object.keys(row), names)
          for (const name of names) {
            const pair = [row[name], other[name]] as const
            if (pair[0] !== null) values++
            const isEqual = pair[0] === pair[1] || isSame(readOr(pair[0]), readOr(pair[1]))
            assert.isTrue(isEqual, `${name} as ${as}: ${pair.join(" and ")}`)
          }
        }
        assert.isAbove(values, 1200)
      }
    })
  )
})
