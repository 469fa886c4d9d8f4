import { randomBytes } from "node:crypto"
import { assert, layer, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"

const fill = (index: string, count: number) =>
  Effect.gen(function* () {
    const search = yield* Search
    const documents = Array.from({ length: count }, (_, n) => ({
      id: `d${n}`,
      source: {
        "@timestamp": new Date(Date.UTC(2026, n % 3, 1) + n * 1000).toISOString(),
        n,
        user: { name: n % 2 === 0 ? "ann" : "bob" }
      }
    }))
    yield* search.write("mytenant", index, documents)
  })

const search = (body: unknown) =>
  Effect.flatMap(
    raw("/v1/mytenant/search", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" }
    }),
    (response) =>
      Effect.promise(async () => {
        const page = JSON.parse(await response.text()) as {
          readonly documents: ReadonlyArray<{ id: string; index: string; source: { n: number } }>
          readonly total?: number
          readonly cursor?: string
          readonly detail?: string
          readonly issues?: ReadonlyArray<{ readonly part: string; readonly pointer: string }>
        }
        return { status: response.status, ...page }
      })
  )

const pageBytes = 4 * 1024 * 1024
/** Documents that compress well and others that do not, from some bytes up to more than a page can hold. */
const sizes = [10, 1_200_000, 700, 90_000, 30_000, pageBytes + 1000, 5, 1_500_000, 40_000, 1_100_000, 20, 900_000]

const fillLarge = Effect.gen(function* () {
  const search = yield* Search
  const random = randomBytes(pageBytes).toString("hex")
  for (const [n, size] of sizes.entries()) {
    const text = n % 2 === 0 ? random.slice(0, size) : "x".repeat(size)
    const source = { "@timestamp": new Date(Date.UTC(2026, n % 2, 1) + n * 1000).toISOString(), n, text }
    yield* search.write("mytenant", "mytenant-large", [{ id: `d${n}`, source }])
  }
})

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("ends a page early when its documents are large", () =>
    Effect.gen(function* () {
      yield* fillLarge
      const seen: Array<number> = []
      let pages = 0
      let cursor: string | undefined
      do {
        const page = yield* search({ index: "mytenant-large", ...(cursor === undefined ? {} : { cursor }) })
        const found = page.documents.map(({ source }) => source.n)
        const bytes = found.reduce((sum, n) => sum + sizes[n]!, 0)
        assert.isTrue(found.length === 1 || bytes <= pageBytes, `${bytes} bytes`)
        seen.push(...found)
        pages++
        cursor = page.cursor
      } while (cursor !== undefined)
      const inOrder = [...sizes.keys()].sort((a, b) => (a % 2) - (b % 2) || a - b)
      assert.deepStrictEqual(seen, inOrder)
      assert.isBelow(pages, 6)
    })
  )

  it.effect("names all faults of a request, each with its part", () =>
    Effect.gen(function* () {
      const of = (body: unknown) =>
        Effect.map(search(body), ({ status, issues }) => [
          status,
          ...(issues ?? []).map(({ part, pointer }) => `${part} ${pointer}`)
        ])
      const query = { bool: { must: [{ trem: {} }], filter: [{ range: { n: { gte: 1, lessThan: 2 } } }] } }
      const inQuery = ["body /query/bool/must/0/trem", "body /query/bool/filter/0/range/n/lessThan"]
      const faulty = { index: "mytenant-*", query, sort: [{ n: "up" }], aggs: { a: { trems: {} } } }
      assert.deepStrictEqual(yield* of(faulty), [400, ...inQuery, "body /sort/0/n", "body /aggs/a/trems"])
      assert.deepStrictEqual(yield* of({ index: 1, query }), [400, "body /index", ...inQuery])
      assert.deepStrictEqual(yield* of("mytenant-*"), [400, "body "])
    })
  )

  it.effect("knows no index whose name has characters that PostgreSQL cannot store", () =>
    Effect.gen(function* () {
      for (const rest of [{}, { size: 1 }, { aggs: { a: { terms: { field: "n" } } } }, { total: true }]) {
        assert.strictEqual((yield* search({ index: "mytenant-a\u0000", ...rest })).status, 404, JSON.stringify(rest))
      }
    })
  )

  it.effect("gives pages that neither lose nor repeat, by time", () =>
    Effect.gen(function* () {
      yield* fill("mytenant-pages-a", 30)
      yield* fill("mytenant-pages-b", 30)
      const seen: Array<string> = []
      const times: Array<number> = []
      let cursor: string | undefined
      do {
        const page = yield* search({
          index: "mytenant-pages-*",
          limit: 7,
          total: true,
          ...(cursor === undefined ? {} : { cursor })
        })
        assert.strictEqual(page.total, 60)
        seen.push(...page.documents.map(({ id, index }) => `${index}/${id}`))
        times.push(...page.documents.map(({ source }) => Date.UTC(2026, source.n % 3, 1) + source.n * 1000))
        cursor = page.cursor
      } while (cursor !== undefined)
      assert.strictEqual(new Set(seen).size, 60)
      assert.lengthOf(seen, 60)
      assert.deepStrictEqual(
        times,
        [...times].sort((a, b) => a - b)
      )
    })
  )

  it.effect("finds by a query, with the fields that were asked for", () =>
    Effect.gen(function* () {
      yield* fill("mytenant-query", 10)
      const page = yield* search({
        index: "mytenant-query",
        query: { bool: { filter: [{ term: { "user.name": "bob" } }, { range: { n: { gte: 7 } } }] } },
        fields: ["user.name", "none"]
      })
      assert.deepStrictEqual(
        page.documents.map(({ id, source }) => [id, source] as const),
        [
          ["d9", { "user.name": "bob" }],
          ["d7", { "user.name": "bob" }]
        ] as never
      )
      const { client } = yield* TestGateway
      const typed = yield* client.search.search({
        params: { tenant: "mytenant" },
        payload: { index: "mytenant-query", limit: 1 }
      })
      assert.strictEqual(typed.documents[0]?.id, "d0")
    })
  )

  it.effect("says what is wrong with a search, and what is not there", () =>
    Effect.gen(function* () {
      const wrong = yield* search({ index: "mytenant-x", query: { range: { n: { gte: 1, foo: 2 } } } })
      assert.deepInclude(wrong, { status: 400 })
      assert.strictEqual(wrong.issues?.[0]?.pointer, "/query/range/n/foo")
      assert.strictEqual((yield* search({ index: "mytenant-x", limit: 1001 })).issues?.[0]?.pointer, "/limit")
      assert.strictEqual((yield* search({ index: "mytenant-x", cursor: "abc" })).status, 400)
      assert.strictEqual((yield* search({ index: "mytenant-not-there" })).status, 404)
      const unnamed = yield* search({ index: "other-index" })
      assert.strictEqual(unnamed.status, 404)
      const { detail } = unnamed
      assert.include(detail, 'There is no index "other-index": names of this tenant\'s indices begin with "mytenant-"')
      assert.deepStrictEqual((yield* search({ index: "*-not-there" })).documents, [])
    })
  )

  it.effect("lists and removes indices, and what is old in them", () =>
    Effect.gen(function* () {
      yield* fill("mytenant-old", 9)
      const { client } = yield* TestGateway
      const params = { tenant: "mytenant", index: "mytenant-old" }
      const named = Effect.map(client.search.indices({ params: { tenant: "mytenant" } }), (indices) =>
        indices.find(({ name }) => name === "mytenant-old")
      )
      const all = yield* named
      assert.deepInclude(all, { documents: 9, from: "2026-01-01T00:00:00.000Z", to: "2026-03-01T00:00:08.000Z" })
      assert.isAbove(all?.bytes ?? 0, 100)
      yield* client.search.removeIndex({ params, query: { before: "2026-02-01T00:00:05Z" } })
      assert.deepInclude(yield* named, { documents: 4, from: "2026-02-01T00:00:07.000Z" })
      yield* client.search.removeIndex({ params, query: {} })
      assert.strictEqual(yield* named, undefined)
      const again = yield* Effect.flip(client.search.removeIndex({ params, query: {} }))
      assert.strictEqual(again._tag, "NotFound")
      yield* fill("mytenant-old", 1)
      assert.deepInclude(yield* named, { documents: 1 })
    })
  )
}

layer(gateway(), { excludeTestServices: true })("searching over HTTP on PostgreSQL, disk and processes", suite)
layer(memoryGateway(), { excludeTestServices: true })("searching over HTTP in memory", suite)
