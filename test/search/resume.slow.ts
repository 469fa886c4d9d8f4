import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, type Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import { resumed } from "../../src/drivers/search/reading/Resume.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { all } from "../../src/languages/query/Query.ts"
import { CsvLines } from "../../src/nodes/outputs/extraction/CsvLines.ts"
import { documentsOf } from "../../src/run/SearchDocuments.ts"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { proxyTo } from "./proxy.ts"

type Store = Search["Service"]

const searchAt = (url: Redacted.Redacted<string>, options: { sliceBytes?: number; patience?: number } = {}) =>
  Effect.map(
    Layer.build(
      Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections: 3, ...options })))
    ),
    (context) => Context.get(context, Search)
  )

const count = 80

/** Documents of two indices that have the same ids and times. */
const fill = (search: Store, months: number, from = 0) =>
  Effect.forEach(["t-a", "t-b"], (index) =>
    search.write(
      "t",
      index,
      Array.from({ length: count }, (_, at) => ({
        id: `d${from + ((at * 7919) % 1009)}`,
        source: { of: index, pad: "x".repeat(30_000), "@timestamp": Date.UTC(2020, at % months, 1) }
      }))
    )
  )

/** The results of each way of reading, as texts, and the reported number of documents. */
const ways = (search: Store, pattern = "t-*") => {
  const totalled = <A>(read: (counted: (total: number) => void) => Stream.Stream<A, unknown>) =>
    Effect.suspend(() => {
      let total = -1
      const found = Stream.runCollect(read((count) => (total = count)))
      return Effect.map(found, (rows) => ({ rows: [...rows], total }))
    })
  const fields = ["of", "pad", "@timestamp"]
  const encoder = () => new CsvLines([])
  return {
    documents: totalled((counted) =>
      Stream.map(search.read("t", pattern, all, { counted }), ({ index, id }) => `${index} ${id}`)
    ),
    fields: totalled((counted) =>
      Stream.map(search.rows("t", pattern, all, { fields, as: "text", counted }), (row) => Object.values(row).join())
    ),
    lines: Effect.map(
      totalled((counted) => search.encoded("t", pattern, all, { fields, encoder, counted })),
      ({ rows, total }) => ({
        rows: Buffer.concat(rows.map(({ bytes }) => bytes))
          .toString()
          .split("\r\n"),
        total
      })
    )
  }
}

const proxied = (months: number) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const direct = yield* searchAt(url)
    yield* fill(direct, months)
    const proxy = yield* proxyTo(url)
    return { direct, proxy }
  })

describe("a read whose connections are lost again and again", () => {
  for (const [what, months, options, bytes] of [
    ["in one statement", 3, {}, 1_500_000],
    // Two connections share the reading.
    ["in slices", 3, { sliceBytes: 2000 }, 600_000],
    ["in groups of months", 20, {}, 1_500_000]
  ] as const) {
    it.live(`finds each document once, in order, ${what}`, () =>
      Effect.gen(function* () {
        const { direct, proxy } = yield* proxied(months)
        const search = yield* searchAt(proxy.url, options)
        const expected = ways(direct)
        for (const [name, read] of Object.entries(ways(search))) {
          const wanted = yield* expected[name as keyof typeof expected]
          assert.strictEqual(wanted.total, 2 * count, name)
          const before = proxy.cuts()
          proxy.cutAfter(bytes)
          const found = yield* read
          proxy.cutAfter(Number.POSITIVE_INFINITY)
          assert.isTrue(JSON.stringify(found) === JSON.stringify(wanted), name)
          assert.isAtLeast(proxy.cuts() - before, 2, name)
        }
      }).pipe(Effect.scoped)
    )
  }

  it.live("goes on in the indices that it began with, and with what was written meanwhile", () =>
    Effect.gen(function* () {
      const { direct, proxy } = yield* proxied(3)
      const search = yield* searchAt(proxy.url)
      const first = (yield* ways(direct).documents).rows
      proxy.cutAfter(1_500_000)
      let begun = false
      const change = Effect.suspend(() => {
        if (begun) return Effect.void
        begun = true
        return Effect.all([
          direct.write("t", "t-new", [{ id: "other", source: {} }]),
          direct.write("t", "t-a", [{ id: "early", source: { "@timestamp": 0 } }]),
          direct.write("t", "t-a", [{ id: "late", source: {} }])
        ])
      })
      const read = (pattern: string, work: Effect.Effect<unknown, unknown>) =>
        search.read("t", pattern, all).pipe(
          Stream.map(({ index, id }) => `${index} ${id}`),
          Stream.mapArrayEffect((found) => Effect.as(work, found)),
          Stream.runCollect
        )
      assert.deepStrictEqual(yield* read("t-*", change), [...first, "t-a late"])
      const removed = yield* Effect.flip(read("t-*", Effect.ignore(direct.drop("t", "t-b"))))
      assert.deepInclude(removed, { _tag: "NotFound", id: "t-b" })
    }).pipe(Effect.scoped)
  )
})

describe("the patience of a read", () => {
  const lost = new StorageUnreachable({ storage: "metadata" })
  const keyOf = (n: number) => ({ at: String(n), id: "", index: "" })

  /** Reads numbers. Before each, the database is away until the time that `away` returns for it. */
  const numbers = (away: (next: number) => number) => {
    const found: Array<number> = []
    return resumed({ after: keyOf(0), keyOf, documents: () => 1, limit: 60_000 }, ({ after, passed }, opened) =>
      Effect.gen(function* () {
        const next = Number(after?.at) + 1
        assert.strictEqual(passed, next - 1)
        if ((yield* Clock.currentTimeMillis) < away(next)) return yield* lost
        opened([])
        return next > 5 ? Stream.empty : Stream.concat(Stream.make(next), Stream.fail(lost))
      }).pipe(Stream.unwrap)
    ).pipe(
      Stream.runForEach((n) => Effect.sync(() => found.push(n))),
      Effect.exit,
      Effect.map((exit) => [found, Exit.isSuccess(exit)] as const)
    )
  }

  for (const [what, each, expected] of [
    ["begins anew with each outage", 50_000, [[1, 2, 3, 4, 5], true]],
    ["ends with one that is too long", 70_000, [[], false]]
  ] as const) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const reading = yield* Effect.forkChild(numbers((next) => next * each))
        yield* TestClock.adjust("10 minutes")
        assert.deepStrictEqual<unknown>(yield* Fiber.join(reading), expected)
      })
    )
  }

  it.effect("ends when nothing is found between losses of the database", () =>
    Effect.gen(function* () {
      let attempts = 0
      const reading = yield* Effect.forkChild(
        resumed<number, never>({ after: undefined, keyOf, documents: () => 1, limit: 60_000 }, (_, opened) =>
          Stream.suspend(() => {
            attempts++
            opened([])
            return Stream.fail(lost)
          })
        ).pipe(Stream.runDrain, Effect.flip)
      )
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* Fiber.join(reading), lost)
      assert.strictEqual(attempts, 21)
    })
  )
})

describe("a read of a database that stops answering", () => {
  it.live("goes on when it answers again", () =>
    Effect.gen(function* () {
      const { direct, proxy } = yield* proxied(3)
      const search = yield* searchAt(proxy.url)
      let silenced = false
      const silence = Effect.suspend(() => {
        if (silenced) return Effect.void
        silenced = true
        // The first one asks whether the server lives, the second one wants to read on.
        const given = until(Effect.sync(proxy.knocks), (knocks) => knocks >= 2)
        return Effect.andThen(proxy.silence(true), Effect.forkDetach(Effect.andThen(given, proxy.silence(false))))
      })
      const found = yield* search.read("t", "t-*", all).pipe(
        Stream.map(({ index, id }) => `${index} ${id}`),
        Stream.mapArrayEffect((found) => Effect.as(silence, found)),
        Stream.runCollect
      )
      assert.deepStrictEqual(found, (yield* ways(direct).documents).rows)
      assert.isAtLeast(proxy.knocks(), 2)
    }).pipe(Effect.scoped)
  )

  it.live("ends with a clear problem when it stays away", () =>
    Effect.gen(function* () {
      const { proxy } = yield* proxied(3)
      const search = yield* searchAt(proxy.url, { patience: 500 })
      const documents = documentsOf(search, "t", new AbortController().signal)
      const read = Effect.tryPromise({
        try: async () => {
          let found = 0
          for await (const texts of documents.read("t-*", all)) {
            if (found === 0) await Effect.runPromise(proxy.close)
            found += texts.length
          }
        },
        catch: String
      })
      assert.match(yield* Effect.flip(read), /The search cannot be reached: its database was away for too long/)
    }).pipe(Effect.scoped)
  )
})
