import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { parseAggregations } from "../../src/languages/query/aggregation/AggregationParser.ts"
import { collectTypes, covers, joined } from "../../src/languages/query/FieldTypes.ts"
import { all } from "../../src/languages/query/Query.ts"
import { isClose } from "./close.ts"
import { randomOf } from "./generated.ts"
import { Database, inMemory, onDatabase } from "./stores.ts"

// The parts of an index keep the types of their fields, and charts rely on them.

const terms = (field: string) => Result.getOrThrow(parseAggregations({ a: { terms: { field, size: 100 } } }, 0, ""))

const typesOf = (documents: ReadonlyArray<unknown>) => {
  const { look, types } = collectTypes()
  for (const document of documents) look(document)
  return types()
}

const kept = (index: string) =>
  Effect.gen(function* () {
    const sql = yield* Database
    const rows = yield* sql<{ types: Readonly<Record<string, number>> | null; more: boolean }>`
      select types, more from search_parts join search_indices using (no) where name = ${index} order by month`
    return rows
  })

describe("the types of documents", () => {
  it("are those of all values by their dotted names", () => {
    const { types } = typesOf([
      { a: 1, b: "x", c: true, d: null, e: { f: 1, "g.h": "x" }, "e.f": "y", l: [1, { m: true }], x: {} },
      { a: 2.5, t: new Date(0), z: [[{ y: 1 }]] }
    ])
    assert.deepStrictEqual(Object.fromEntries(types), {
      a: 1,
      b: 2,
      c: 4,
      e: 16,
      "e.f": 3,
      "e.g.h": 2,
      l: 24,
      "l.m": 12,
      x: 16,
      t: 31,
      z: 24,
      "z.y": 9
    })
  })

  it("are not known of a document that writes itself, nor of very many fields", () => {
    assert.deepStrictEqual(typesOf([{ a: 1 }, { toJSON: () => ({ a: "x" }) }]), { types: new Map(), more: true })
    const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, n]))
    assert.deepStrictEqual(typesOf([wide]), { types: new Map(), more: true })
  })

  it("are never too few, whatever is added to what", () => {
    const random = randomOf(7)
    const names = Array.from({ length: 1400 }, (_, n) => `f${n}`)
    for (let run = 0; run < 6; run++) {
      let known = typesOf([])
      const seen = new Map<string, number>()
      for (let step = 0; step < 30; step++) {
        const wide = random.chance(0.02)
        const document = Object.fromEntries(
          Array.from({ length: wide ? 1300 : 1 + random.below(120) }, (_, n) => [
            wide ? names[n]! : random.pick(names),
            random.pick<unknown>([1, "x", true, [1], {}])
          ])
        )
        const found = typesOf([document])
        for (const [name, value] of Object.entries(document)) {
          const bits = typesOf([{ [name]: value }]).types.get(name) ?? 0
          seen.set(name, (seen.get(name) ?? 0) | bits)
        }
        if (!covers(known, found)) known = joined(known, found)
        assert.isTrue(covers(known, found))
        for (const [name, bits] of seen) {
          const told = known.types.get(name)
          assert.strictEqual(told === undefined ? known.more : (told & bits) === bits, true, name)
        }
        assert.isAtMost(known.types.size, 1000)
      }
    }
  })
})

layer(onDatabase)("the types of a part", (it) => {
  const same = Effect.fnUntraced(function* (
    index: string,
    documents: ReadonlyArray<{ readonly id: string; readonly source: string }>,
    field: string
  ) {
    const memory = Context.get(yield* Layer.build(inMemory), Search)
    yield* memory.write("t", index, documents)
    const wanted = yield* memory.aggregate("t", index, all, terms(field))
    const found = yield* (yield* Search).aggregate("t", index, all, terms(field))
    if (!isClose(found, wanted)) assert.deepStrictEqual(found, wanted)
  })
  const document = (id: string, value: string, more = "") => ({
    id,
    source: `{ "@timestamp": "2026-03-01", "v": ${value}${more} }`
  })

  it.effect("are kept with the documents, and grow with them", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const written = [document("a", "1"), document("b", "1.0"), document("c", "2", ', "u": { "w": "x" }')]
      yield* search.write("t", "t-grow", written)
      assert.deepStrictEqual(yield* kept("t-grow"), [
        { types: { "@timestamp": 2, v: 1, u: 16, "u.w": 2 }, more: false }
      ])
      yield* same("t-grow", written, "v")
      for (const value of ['"1"', "true", "[1, 2]", '{ "a": 1 }']) {
        const more = [document(value, value)]
        yield* search.write("t", "t-grow", more)
        written.push(...more)
        yield* same("t-grow", written, "v")
      }
      assert.strictEqual((yield* kept("t-grow"))[0]?.types?.["v"], 31)
    }).pipe(Effect.scoped)
  )

  it.effect("are those of all writers at once", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const values = ["1", '"1"', "true", "[1]", '{ "a": 1 }']
      const batches = Array.from({ length: 40 }, (_, n) =>
        Array.from({ length: 5 }, (_, at) => document(`${n}-${at}`, values[n % 5]!, `, "f${n % 7}": ${values[at]}`))
      )
      yield* Effect.forEach(batches, (batch) => search.write("t", "t-many", batch), { concurrency: 8 })
      yield* same("t-many", batches.flat(), "v")
      const [part] = yield* kept("t-many")
      assert.strictEqual(part?.types?.["v"], 31)
      for (let n = 0; n < 7; n++) assert.strictEqual(part?.types?.[`f${n}`], 31)
    }).pipe(Effect.scoped)
  )

  it.effect("are written again when the database has lost them", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const sql = yield* Database
      yield* search.write("t", "t-lost", [document("a", "1")])
      yield* search.write("t", "t-lost", [document("b", "2")])
      // As after the failure of a server whose successor has not got the last transactions.
      yield* sql`update search_parts set types = '{}', version = gen_random_uuid()
        where no = (select no from search_indices where name = 't-lost')`
      yield* search.write("t", "t-lost", [document("c", "3")])
      assert.strictEqual((yield* kept("t-lost"))[0]?.types?.["v"], 1)
    })
  )

  it.effect("are not known of parts of before, whose documents are looked at", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const sql = yield* Database
      const written = Array.from({ length: 80 }, (_, n) => document(`d${n}`, n < 70 ? "5" : '"5"'))
      yield* search.write("t", "t-before", written.slice(0, 60))
      yield* sql`update search_parts set types = null, version = null
        where no = (select no from search_indices where name = 't-before')`
      yield* search.write("t", "t-before", written.slice(60))
      assert.deepStrictEqual(yield* kept("t-before"), [{ types: null, more: false }])
      yield* same("t-before", written, "v")
    }).pipe(Effect.scoped)
  )

  it.effect("say nothing of fields beyond a thousand", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const batch = (from: number) =>
        document(`d${from}`, "1", Array.from({ length: 600 }, (_, n) => `, "f${from + n}": ${n}`).join(""))
      const written = [batch(0), batch(600)]
      for (const one of written) yield* search.write("t", "t-wide", [one])
      const [part] = yield* kept("t-wide")
      assert.isTrue(part?.more)
      assert.isAtMost(Object.keys(part?.types ?? {}).length, 1000)
      for (const field of ["v", "f0", "f599", "f600", "f1199"]) yield* same("t-wide", written, field)
    }).pipe(Effect.scoped)
  )
})
