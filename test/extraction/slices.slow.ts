import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Redacted, Ref, Schedule, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import { endOf } from "../../src/drivers/search/reading/Select.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import type { EncodedDocuments } from "../../src/languages/query/IndexedDocument.ts"
import { all } from "../../src/languages/query/Query.ts"
import { csvOf } from "../../src/nodes/outputs/extraction/CsvCell.ts"
import { CsvLines } from "../../src/nodes/outputs/extraction/CsvLines.ts"
import { freshDatabase } from "../support/postgres.ts"

const fields = ["n", "of", "@timestamp", "pad"]

const searchAt = (url: Redacted.Redacted<string>, connections: number, sliceBytes: number) =>
  Effect.map(
    Layer.build(
      Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections, sliceBytes })))
    ),
    (context) => Context.get(context, Search)
  )
type Store = Search["Service"]

/** Documents of two indices with the same ids and few different times, some of them without, in three months. */
const fill = (search: Store, count: number, pad = "") =>
  Effect.forEach(["some-a", "some-b"], (index) =>
    search.write(
      "some",
      index,
      Array.from({ length: count }, (_, n) => ({
        id: `d${(n * 7919) % count}`,
        source: { n, of: index, pad, ...(n % 11 === 0 ? {} : { "@timestamp": Date.UTC(2026, n % 3, 1 + (n % 2)) }) }
      }))
    )
  )

/** The csv, and by how many it was made. */
const csvBy = (search: Store, each: (encoded: EncodedDocuments) => Effect.Effect<unknown> = () => Effect.void) =>
  Effect.gen(function* () {
    const made: Array<Uint8Array> = []
    const totals: Array<number> = []
    let encoders = 0
    let documents = 0
    const encoder = () => {
      encoders++
      return new CsvLines([])
    }
    const counted = (total: number) => void totals.push(total)
    yield* Stream.runForEach(search.encoded("some", "some-*", all, { fields, encoder, counted }), (encoded) => {
      made.push(encoded.bytes)
      documents += encoded.documents
      return each(encoded)
    })
    assert.strictEqual(totals.at(-1), documents)
    return { csv: Buffer.concat(made).toString(), encoders }
  })

/** The same by way of records. */
const csvOfRows = (search: Store) =>
  Effect.map(Stream.runCollect(search.rows("some", "some-*", all, { fields, as: "text" })), (rows) =>
    csvOf(fields).rows(rows)
  )

const admin = (url: Redacted.Redacted<string>) => PgClient.make({ url, maxConnections: 1 })

it.live("slices that several read are what one would read", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const search = yield* searchAt(url, 3, 2000)
    yield* fill(search, 600)
    const wanted = yield* csvOfRows(search)
    assert.lengthOf(wanted.split("\r\n"), 1201)
    for (const [connections, sliceBytes, encoders] of [
      [3, 2000, 2],
      [3, 300, 2],
      [3, 1e9, 1],
      [2, 2000, 1]
    ] as const) {
      const again = yield* searchAt(url, connections, sliceBytes)
      // A server that is slow to take a connection is read without it.
      const found = yield* Effect.repeat(csvBy(again), { until: (found) => found.encoders === encoders, times: 5 })
      assert.deepStrictEqual(found, { csv: wanted, encoders })
    }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)

it.live("the end of a slice is a key between its documents and the next, or after all of them", () =>
  Effect.gen(function* () {
    const search = yield* searchAt(yield* freshDatabase, 3, 2000)
    yield* fill(search, 40)
    const hits = [...(yield* Stream.runCollect(search.read("some", "some-*", all, {})))]
    assert.lengthOf(hits, 80)
    for (const [at, { at: ts, id }] of hits.entries()) {
      const after = endOf({ from: undefined, to: { at: ts, id } })
      const rest = [...(yield* Stream.runCollect(search.read("some", "some-*", all, { after })))]
      // Both indices have it.
      const first = hits.findIndex((one) => one.at === ts && one.id === id)
      assert.deepStrictEqual(rest, hits.slice(first), `${at}`)
    }
    const after = endOf({ from: undefined, to: undefined })
    yield* search.write("some", "some-a", [{ id: "\u{10FFFF}".repeat(128), source: {} }])
    assert.deepStrictEqual([...(yield* Stream.runCollect(search.read("some", "some-*", all, { after })))], [])
  }).pipe(Effect.scoped)
)

it.live("pieces have one row each where a row is larger than a piece, however small its document is stored", () =>
  Effect.gen(function* () {
    const search = yield* searchAt(yield* freshDatabase, 2, 1e9)
    const [count, length, columns] = [50, 10_000, 300]
    // Stored in some 160 bytes, as it is compressed; a row has three million.
    const pad = "x".repeat(length)
    yield* search.write(
      "some",
      "some-a",
      Array.from({ length: count }, (_, n) => ({ id: `${n}`, source: { pad } }))
    )
    const options = { fields: Array<string>(columns).fill("pad"), encoder: () => new CsvLines([]), counted: undefined }
    const pieces = [...(yield* Stream.runCollect(search.encoded("some", "some-*", all, options)))]
    assert.deepStrictEqual(
      pieces.map(({ documents }) => documents),
      Array<number>(count).fill(1)
    )
  }).pipe(Effect.scoped)
)

it.live("slices are read through the driver where the connection may be encrypted", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const search = yield* searchAt(url, 3, 2000)
    yield* fill(search, 300, 'é,"')
    const wanted = yield* csvOfRows(search)
    assert.strictEqual((yield* csvBy(search)).csv, wanted)
    const again = yield* searchAt(Redacted.make(`${Redacted.value(url)}?sslmode=prefer`), 3, 2000)
    assert.strictEqual((yield* csvBy(again)).csv, wanted)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)

it.live("slices are read by one where the server has no connection for others", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const role = `few_${randomBytes(6).toString("hex")}`
    const sql = yield* admin(url)
    const search = yield* searchAt(url, 3, 2000)
    yield* fill(search, 300)
    yield* Effect.acquireRelease(sql`create role ${sql(role)} login password 'few' connection limit 1`, () =>
      Effect.ignore(Effect.andThen(sql`drop owned by ${sql(role)}`, sql`drop role ${sql(role)}`))
    )
    yield* sql`grant select on all tables in schema public to ${sql(role)}`
    const few = new URL(Redacted.value(url))
    few.username = role
    few.password = "few"
    const found = yield* Effect.scoped(
      Effect.flatMap(searchAt(Redacted.make(few.href), 3, 2000), (search) =>
        // At first the only connection may be busy with the search's background work.
        Effect.retry(csvBy(search), { schedule: Schedule.spaced(50), times: 200 })
      )
    )
    assert.deepStrictEqual(found, { csv: yield* csvOfRows(search), encoders: 1 })
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)

/** More than readers prepare: most of it is read after the first piece has been taken. */
const large = Effect.gen(function* () {
  const url = yield* freshDatabase
  const search = yield* searchAt(url, 3, 20_000)
  yield* fill(search, 800, "x".repeat(16_384))
  return { url, search }
})

it.live("slices are of one moment, whatever is written, removed and dropped meanwhile", () =>
  Effect.gen(function* () {
    const { search } = yield* large
    const wanted = yield* csvOfRows(search)
    const begun = yield* Ref.make(false)
    const change = Effect.gen(function* () {
      if (yield* Ref.getAndSet(begun, true)) return
      yield* search.expire("some", "some-a", Date.UTC(2026, 1, 2))
      yield* search.drop("some", "some-b")
      yield* fill(search, 100)
    })
    const { csv } = yield* csvBy(search, () => Effect.orDie(change))
    assert.isTrue(csv === wanted)
    assert.isFalse((yield* csvOfRows(search)) === wanted)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)

it.live("slices are read on after the loss of one of their connections", () =>
  Effect.gen(function* () {
    const { url, search } = yield* large
    const sql = yield* admin(url)
    const lost = yield* Deferred.make<number>()
    // The reader that joined last.
    const lose = Effect.gen(function* () {
      if (yield* Deferred.isDone(lost)) return
      const gone = yield* sql`
        select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity
          where datname = current_database() and query like '/* rows %' and pid <> pg_backend_pid()
          order by xact_start desc limit 1) as last`
      yield* Deferred.succeed(lost, gone.length)
    })
    const wanted = yield* csvOfRows(search)
    const { csv } = yield* csvBy(search, () => Effect.orDie(lose))
    assert.strictEqual(yield* Deferred.await(lost), 1)
    assert.isTrue(csv === wanted)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)
