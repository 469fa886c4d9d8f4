import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { all } from "../../src/services/search/Query.ts"
import { Search } from "../../src/services/search/Search.ts"
import { onPostgres } from "./stores.ts"

for (const [name, store] of [["PostgreSQL", onPostgres]] as const) {
  layer(store)(`documents in ${name}`, (it) => {
    it.effect("come back as they were written, by time and id", () =>
      Effect.gen(function* () {
        const search = yield* Search
        const written = yield* search.write("one", "one-logs", [
          { id: "b", source: { "@timestamp": "2026-03-10T14:12:27Z", n: 1 } },
          { id: "a", source: { "@timestamp": "2026-03-10T14:12:27Z", n: 2 } },
          { id: "c", source: { n: 3 } },
          { id: "d", source: '{"@timestamp": 0, "n": 12345678901234567890.25, "t": "\\u0000\\ud800x\\ue0f1"}' },
          { source: { "@timestamp": "2024-01-01" } }
        ])
        assert.deepStrictEqual(written, { written: 5, rejected: [] })
        const found = yield* Stream.runCollect(search.read("one", "one-*", all))
        assert.deepStrictEqual(
          found.map(({ id }) => (id.length > 1 ? "?" : id)),
          ["d", "?", "a", "b", "c"]
        )
        assert.match(found[0]?.source ?? "", /12345678901234567890\.25/)
        assert.strictEqual(JSON.parse(found[0]?.source ?? "").t, "\u0000\ud800x\ue0f1")
        assert.strictEqual(yield* search.count("one", "one-logs", all), 5)
        assert.deepInclude((yield* search.indices("one"))[0], {
          name: "one-logs",
          documents: 5,
          from: "1970-01-01T00:00:00.000Z",
          to: "2026-03-10T14:12:27.000Z"
        })
      })
    )
  })
}
