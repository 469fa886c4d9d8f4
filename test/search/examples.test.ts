import { assert, layer, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { fences, read } from "../support/documents.ts"
import { gateway, memoryGateway, raw, type TestGateway } from "../support/gateway.ts"

const page = read("docs/query-examples.md")
const documents: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
  fences(page).find(({ language }) => language === "json")!.text
)
const examples = [...page.matchAll(/^\| `(\{.*\})` \| (.*) \|$/gm)].map(([, query = "", found = ""]) => ({
  query: query.replaceAll("\\|", "|"),
  ids: [...found.matchAll(/`(\w+)`/g)].map(([, id]) => id)
}))

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("find what the page says", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const written = Object.entries(documents).map(([id, source]) => ({ id, source }))
      yield* search.write("mytenant", "mytenant-logs-1", written.slice(0, 2))
      yield* search.write("mytenant", "mytenant-logs-2", written.slice(2))
      assert.isAbove(examples.length, 30)
      const answers: Array<unknown> = []
      for (const { query } of examples) {
        const response = yield* raw("/v1/mytenant/search", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: `{"index":"mytenant-logs-*","query":${query}}`
        })
        const text = yield* Effect.promise(() => response.text())
        assert.strictEqual(response.status, 200, `${query}: ${text}`)
        const found = (JSON.parse(text) as { documents: ReadonlyArray<{ id: string }> }).documents.map(({ id }) => id)
        answers.push({ query, ids: found })
      }
      assert.deepStrictEqual(answers, examples)
    })
  )
}

layer(gateway(), { excludeTestServices: true })("the examples of queries on PostgreSQL", suite)
layer(memoryGateway(), { excludeTestServices: true })("the examples of queries in memory", suite)
