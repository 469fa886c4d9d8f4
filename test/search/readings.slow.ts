import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { parseAggregations } from "../../src/languages/query/aggregation/AggregationParser.ts"
import { all } from "../../src/languages/query/Query.ts"
import { parseSort } from "../../src/languages/query/Sort.ts"
import { isClose } from "./close.ts"
import { type Random, randomOf } from "./generated.ts"
import { inMemory, onPostgres } from "./stores.ts"

// A search guesses from the first documents how to read fields. Here these are alike, and some later ones differ:
// whatever is guessed, the answers must be those of the model.

const plain = {
  numbers: (random: Random) => random.pick(["1", "2.5", "30", "-4", "200"]),
  words: (random: Random) => random.pick(['"ann"', '"bob"', '"10.0.0.1"', '"/api"', '"trace"', '"zoë"', '"B"']),
  codes: (random: Random) => random.pick(['"200"', '"404"', '"5.0"', '"-1"']),
  flags: (random: Random) => random.pick(["true", "false"])
}
const kinds = Object.keys(plain) as ReadonlyArray<keyof typeof plain>

/** What is not like the first documents. */
const others: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> = [
  ["nothing", ["null"]],
  ["numbers that are equal", ["200.0", "5.0", "2.50", "1e1", "-0.0", "5"]],
  ["large and small numbers", ["9007199254740993", "1e400", "1e-400", "12345678901234567890.5"]],
  ["texts that look like others", ['"200"', '"true"', '"5.0"', '"[1]"', '"{}"', '"null"', '"[\\"ann\\"]"', '"-1"']],
  ["texts", ['"ann"', '""', `"${"x".repeat(1024)}"`, `"${"x".repeat(1025)}"`, '"\\u0000"', '"\\ud800"', '" 5"']],
  ["booleans", ["true", "false"]],
  ["lists", ["[1, 2.5, 1]", '["ann", "bob"]', "[]", "[null]", '["200", 200, true]', "[[1]]"]],
  ["objects", ['{ "a": 1 }', "{}"]],
  ["anything", ["5", '"5"', "true", "[5]", '{ "a": 5 }', "null", '"ann"', "1e400"]]
]

const requests: ReadonlyArray<object> = [
  { a: { terms: { field: "v", size: 3 } }, b: { terms: { field: "v", size: 100, order: { _key: "desc" } } } },
  { a: { cardinality: { field: "v" } }, b: { percentiles: { field: "v" } }, c: { stats: { field: "v" } } },
  { a: { terms: { field: "u.v" } }, b: { cardinality: { field: "u.v" } }, c: { percentiles: { field: "u.v" } } },
  { a: { terms: { field: "v", missing: "none" } }, b: { terms: { field: "v", missing: 5 } } },
  {
    a: {
      terms: { field: "v", size: 4 },
      aggs: {
        most: { max: { field: "n" } },
        middle: { percentiles: { field: "u.v", percents: [50] } },
        different: { cardinality: { field: "u.v" } },
        inner: {
          terms: { field: "u.v", size: 2 },
          aggs: { different: { cardinality: { field: "v" } }, n: { sum: { field: "v" } } }
        }
      }
    }
  },
  {
    a: {
      date_histogram: { field: "@timestamp", calendar_interval: "day" },
      aggs: { v: { terms: { field: "v", size: 2 }, aggs: { p: { percentiles: { field: "n" } } } } }
    }
  }
]

layer(onPostgres)("fields whose first documents mislead", (it) => {
  for (const kind of kinds) {
    it.effect(`are counted as they are after ${kind}`, () =>
      Effect.gen(function* () {
        const search = yield* Search
        const memory = Context.get(yield* Layer.build(inMemory), Search)
        const random = randomOf(kinds.indexOf(kind) + 400)
        for (const [at, [name, values]] of others.entries()) {
          const index = `t-${kind}-${at}`
          const written = Array.from({ length: 90 }, (_, n) => {
            const value = () => (n >= 60 && random.chance(0.4) ? random.pick(values) : plain[kind](random))
            const fields = [
              `"@timestamp": "2026-03-0${1 + (n % 3)}"`,
              `"n": ${n}`,
              ...(random.chance(0.9) ? [`"v": ${value()}`] : []),
              ...(random.chance(0.8) ? [random.chance(0.8) ? `"u": { "v": ${value()} }` : `"u.v": ${value()}`] : [])
            ]
            return { id: `d${n}`, source: `{ ${fields.join(", ")} }` }
          })
          yield* Effect.all([search.write("t", index, written), memory.write("t", index, written)])
          for (const request of requests) {
            const asked = Result.getOrThrow(parseAggregations(request, 0, ""))
            const mine = yield* search.aggregate("t", index, all, asked)
            const theirs = yield* memory.aggregate("t", index, all, asked)
            if (!isClose(mine, theirs)) assert.deepStrictEqual(mine, theirs, `${name}: ${JSON.stringify(request)}`)
          }
          for (const field of ["v", "u.v"]) {
            for (const order of ["asc", "desc"]) {
              const sort = Result.getOrThrow(parseSort([{ [field]: order }], ""))
              const ids = (store: Search["Service"]) =>
                Effect.map(store.sorted("t", index, all, { sort, from: 0, limit: 90, bytes: 1e9 }), ({ hits }) =>
                  hits.map(({ id }) => id)
                )
              assert.deepStrictEqual(yield* ids(search), yield* ids(memory), `${name}: ${field} ${order}`)
            }
          }
        }
      })
    )
  }
})
