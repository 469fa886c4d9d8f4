import { assert, layer, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { gateway, memoryGateway, raw, type TestGateway } from "../support/gateway.ts"

const documents = Array.from({ length: 48 }, (_, n) => ({
  id: `d${String(n).padStart(2, "0")}`,
  source: {
    "@timestamp": new Date(Date.UTC(2026, 2, 28) + n * 3_600_000).toISOString(),
    status: n % 4 === 0 ? 500 : 200,
    bytes: n,
    ...(n % 2 === 0 ? { user: { name: n % 3 === 0 ? "ann" : "bob" } } : {}),
    tags: n % 8 === 0 ? ["a", "b", "b"] : "a"
  }
}))

const search = (body: object) =>
  Effect.flatMap(
    raw("/v1/mytenant/search", {
      method: "POST",
      body: JSON.stringify({ index: "mytenant-charts", ...body }),
      headers: { "content-type": "application/json" }
    }),
    (response) =>
      Effect.promise(async () => ({ status: response.status, ...(JSON.parse(await response.text()) as Answer) }))
  )

interface Answer {
  readonly documents: ReadonlyArray<{ readonly id: string; readonly sort?: ReadonlyArray<unknown> }>
  readonly aggregations?: Readonly<Record<string, unknown>>
  readonly cursor?: string
  readonly warnings?: ReadonlyArray<{ readonly pointer: string; readonly field: string; readonly detail: string }>
  readonly issues?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
}

const fill = Effect.flatMap(Search, (search) => search.write("mytenant", "mytenant-charts", documents))

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("answers aggregations in Elasticsearch's shapes", () =>
    Effect.gen(function* () {
      yield* fill
      const {
        status,
        documents: found,
        aggregations
      } = yield* search({
        size: 0,
        aggs: {
          days: {
            // The clocks of Berlin go forward on the 29th, which has 23 hours.
            date_histogram: { field: "@timestamp", calendar_interval: "day", time_zone: "Europe/Berlin" },
            aggs: {
              statuses: { terms: { field: "status" }, aggs: { traffic: { sum: { field: "bytes" } } } },
              load: { avg: { field: "bytes" } }
            }
          },
          names: { terms: { field: "user.name", size: 1 } },
          tags: { terms: { field: "tags", order: { _key: "asc" } } },
          errors: {
            filter: { term: { status: 500 } },
            aggs: { most: { max: { field: "bytes" } }, users: { cardinality: { field: "user.name" } } }
          },
          bytes: { stats: { field: "bytes" } },
          middle: { percentiles: { field: "bytes", percents: [50, 99.9] } },
          known: { value_count: { field: "user.name" } },
          first: { min: { field: "@timestamp" } },
          nothing: { avg: { field: "none" } }
        }
      })
      assert.deepStrictEqual([status, found], [200, []])
      const statuses = (...all: ReadonlyArray<readonly [key: number, count: number, sum: number]>) => ({
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 0,
        buckets: all.map(([key, doc_count, value]) => ({ key, doc_count, traffic: { value } }))
      })
      const day = (at: string, doc_count: number, value: number, inner: object) => ({
        key_as_string: at,
        key: Date.parse(at),
        doc_count,
        statuses: inner,
        load: { value }
      })
      assert.deepStrictEqual(aggregations, {
        days: {
          buckets: [
            day("2026-03-27T23:00:00.000Z", 23, 11, statuses([200, 17, 193], [500, 6, 60])),
            day("2026-03-28T23:00:00.000Z", 23, 34, statuses([200, 17, 578], [500, 6, 204])),
            day("2026-03-29T22:00:00.000Z", 2, 46.5, statuses([200, 2, 93]))
          ]
        },
        names: {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: 8,
          buckets: [{ key: "bob", doc_count: 16 }]
        },
        tags: {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: 0,
          buckets: [
            { key: "a", doc_count: 48 },
            { key: "b", doc_count: 6 }
          ]
        },
        errors: { doc_count: 12, most: { value: 44 }, users: { value: 2 } },
        bytes: { count: 48, min: 0, max: 47, avg: 23.5, sum: 1128 },
        middle: { values: { "50.0": 23.5, "99.9": 46.953 } },
        known: { value: 24 },
        first: { value: Date.UTC(2026, 2, 28), value_as_string: "2026-03-28T00:00:00.000Z" },
        nothing: { value: null }
      })
    })
  )

  it.effect("sorts by any field, newest first by Elasticsearch's words, and as before without them", () =>
    Effect.gen(function* () {
      yield* fill
      const ids = (body: object) =>
        Effect.map(search(body), ({ documents }) => documents.map(({ id }) => Number(id.slice(1))))
      assert.deepStrictEqual(yield* ids({ limit: 3 }), [0, 1, 2])
      assert.deepStrictEqual(yield* ids({ size: 3 }), [47, 46, 45])
      assert.deepStrictEqual(yield* ids({ size: 3, from: 3 }), [44, 43, 42])
      const sort = [{ "user.name": { order: "desc", missing: "_first" } }, { bytes: "asc" }]
      assert.deepStrictEqual(yield* ids({ size: 2, sort }), [1, 3])
      const after = yield* search({ size: 26, sort })
      assert.deepStrictEqual(after.documents.at(-1)?.sort, ["bob", 4])
      assert.deepStrictEqual(yield* ids({ size: 2, sort, search_after: ["bob", 4] }), [8, 10])
      const seen: Array<number> = []
      let cursor: string | undefined
      for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
        assert.isBelow(pages, 12)
        const page = yield* search({ size: 5, sort, ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...page.documents.map(({ id }) => Number(id.slice(1))))
        cursor = page.cursor
      }
      assert.deepStrictEqual(seen, yield* ids({ size: 48, sort }))
      assert.strictEqual(new Set(seen).size, 48)
    })
  )

  it.effect("warns of fields that no document has, and says which may be meant", () =>
    Effect.gen(function* () {
      yield* fill
      const warnings = (body: object) =>
        Effect.map(search(body), ({ status, warnings = [] }) => [
          status,
          ...warnings.map(({ pointer, field, detail }) => `${pointer} ${field}: ${detail}`)
        ])
      const aggs = {
        a: { terms: { field: "statsu" }, aggs: { b: { avg: { field: "bites" } }, c: { sum: { field: "bytes" } } } },
        b: {
          date_histogram: { field: "@timestamp", calendar_interval: "day" },
          aggs: { n: { max: { field: "name" } } }
        },
        c: { filter: { term: { status: 200 } }, aggs: { d: { percentiles: { field: "byts", keyed: false } } } },
        d: { terms: { field: "colour", missing: "none" } },
        e: { stats: { field: "user.nam" } },
        f: { cardinality: { field: "qqqqqqqqq" } }
      }
      assert.deepStrictEqual(yield* warnings({ size: 0, aggs }), [
        200,
        '/aggs/a/terms/field statsu: No document has a field "statsu"; did you mean "status"?',
        '/aggs/a/aggs/b/avg/field bites: No document has a field "bites"; did you mean "bytes"?',
        '/aggs/b/aggs/n/max/field name: No document has a field "name"; did you mean "user.name"?',
        '/aggs/c/aggs/d/percentiles/field byts: No document has a field "byts"; did you mean "bytes"?',
        '/aggs/d/terms/field colour: No document has a field "colour"',
        '/aggs/e/stats/field user.nam: No document has a field "user.nam"; did you mean "user.name"?',
        '/aggs/f/cardinality/field qqqqqqqqq: No document has a field "qqqqqqqqq"'
      ])
      assert.deepStrictEqual(yield* warnings({ size: 3, sort: ["status", { byte: "desc" }] }), [
        200,
        '/sort/1 byte: No document has a field "byte"; did you mean "bytes"?'
      ])
      // Fields that some documents have, although these ones have not, or have no numbers.
      const odd = { query: { term: { bytes: 1 } }, size: 3, sort: "user.name" }
      const fine = {
        a: { terms: { field: "user.name" } },
        b: { avg: { field: "user.name" } },
        c: { max: { field: "_id" } }
      }
      assert.deepStrictEqual(yield* warnings({ ...odd, aggs: fine }), [200])
    })
  )

  it.effect("refuses what it cannot do, with the place and the cure", () =>
    Effect.gen(function* () {
      yield* fill
      const faults = (body: object) =>
        Effect.map(search(body), ({ status, issues = [] }) => [
          status,
          ...issues.map(({ pointer, detail }) => `${pointer}: ${detail}`)
        ])
      const agg = (aggs: object) => faults({ size: 0, aggs })
      assert.deepStrictEqual(yield* agg({ a: { term: { field: "x" } } }), [
        400,
        '/aggs/a/term: Unknown aggregation "term"; did you mean "terms"?'
      ])
      assert.deepStrictEqual(yield* agg({ a: { avg: {} }, b: { terms: { field: "x", sise: 3 } } }), [
        400,
        '/aggs/a/avg: Expected a "field"',
        '/aggs/b/terms/sise: Unknown member "sise"; did you mean "size"?'
      ])
      const deep = (depth: number): object =>
        depth === 0 ? { m: { sum: { field: "x" } } } : { t: { terms: { field: "x" }, aggs: deep(depth - 1) } }
      assert.strictEqual((yield* agg(deep(2)))[0], 200)
      assert.match(String((yield* agg(deep(3)))[1]), /^\/aggs\/t\/aggs\/t\/aggs\/t\/terms: Buckets can be 2 deep/)
      assert.match(
        String(
          (yield* agg({
            a: { terms: { field: "x", order: { "p.96": "asc" } }, aggs: { p: { percentiles: { field: "y" } } } }
          }))[1]
        ),
        /^\/aggs\/a\/terms\/order\/p.96: Buckets can be ordered by _count, _key, p.1, .*did you mean "p.9/
      )
      const fine = { date_histogram: { field: "@timestamp", fixed_interval: "1ms" } }
      assert.match(
        String((yield* agg({ a: fine }))[1]),
        /^\/aggs\/a\/date_histogram: .* more than 65536 buckets: take a longer/
      )
      assert.match(
        String((yield* agg({ a: { date_histogram: { field: "@timestamp", calendar_interval: "2d" } } }))[1]),
        /fixed_interval/
      )
      assert.match(
        String((yield* agg({ a: { filter: { trm: { a: 1 } } } }))[1]),
        /^\/aggs\/a\/filter\/trm: Unknown clause/
      )
      assert.match(
        String((yield* faults({ sort: [{ bytes: { ordr: "asc" } }] }))[1]),
        /^\/sort\/0\/bytes\/ordr: .*"order"/
      )
      assert.match(String((yield* faults({ size: 10, from: 9_995 }))[1]), /^\/from: from and size reach/)
      assert.match(String((yield* faults({ size: 1, sort: "bytes", search_after: [1, 2] }))[1]), /^\/search_after/)
      assert.strictEqual((yield* faults({ size: 1, limit: 1 }))[0], 400)
      assert.strictEqual((yield* search({ index: "mytenant-none", size: 0, aggs: {} })).status, 404)
    })
  )
}

const largeSuite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("refuses an answer that is too large, with the place and the cure", () =>
    Effect.gen(function* () {
      const long = (name: string, doc: number) =>
        Array.from({ length: 40 }, (_, at) => `${name}${doc}-${at}-`.padEnd(1000, "x"))
      const write = Effect.flatMap(Search, (search) =>
        search.write(
          "mytenant",
          "mytenant-charts",
          Array.from({ length: 20 }, (_, n) => ({
            id: `l${n}`,
            source: { a: long("a", n), b: long("b", n), e: `e${n}` }
          }))
        )
      )
      yield* Effect.andThen(fill, write)
      const terms = (field: string, size: number, aggs: object = {}) => ({ terms: { field, size }, aggs })
      const asked = (size: number) =>
        search({ size: 0, aggs: { fine: terms("e", 10), pairs: terms("a", 800, { inner: terms("b", size) }) } })
      const refused = yield* asked(40)
      assert.deepStrictEqual(
        [refused.status, ...(refused.issues ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`)],
        [
          400,
          "/aggs/pairs/aggs/inner: The answer is larger than 16 MiB: take a smaller size or a longer interval, fewer metrics, or narrow the query"
        ]
      )
      assert.strictEqual((yield* asked(10)).status, 200)
      // Buckets without documents take room, too.
      const percents = Array.from({ length: 100 }, (_, at) => at)
      const many = yield* search({
        size: 0,
        aggs: {
          minutes: {
            date_histogram: { field: "@timestamp", calendar_interval: "minute" },
            aggs: Object.fromEntries(
              Array.from({ length: 9 }, (_, n) => [`p${n}`, { percentiles: { field: "bytes", percents } }])
            )
          }
        },
        query: { exists: { field: "status" } }
      })
      assert.deepStrictEqual(
        [many.status, many.issues?.[0]?.pointer, many.issues?.[0]?.detail.slice(0, 33)],
        [400, "/aggs/minutes", "The answer is larger than 16 MiB:"]
      )
    })
  )
}

layer(memoryGateway(), { excludeTestServices: true })("large charts in memory", largeSuite)
layer(gateway(), { excludeTestServices: true })("large charts on PostgreSQL", largeSuite)
layer(memoryGateway(), { excludeTestServices: true })("charts in memory", suite)
layer(gateway(), { excludeTestServices: true })("charts on PostgreSQL", suite)
