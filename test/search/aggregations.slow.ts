import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { Search, type SortedPage } from "../../src/drivers/search/Search.ts"
import { readDigits } from "../../src/languages/json/JsonNumbers.ts"
import { parseAggregations } from "../../src/languages/query/aggregation/AggregationParser.ts"
import { all } from "../../src/languages/query/Query.ts"
import { parseQuery } from "../../src/languages/query/QueryParser.ts"
import { parseSort } from "../../src/languages/query/Sort.ts"
import { isClose } from "./close.ts"
import { document, fields, query, type Random, randomOf } from "./generated.ts"
import { inMemory, onPostgres } from "./stores.ts"

const now = Date.UTC(2026, 10, 21)

const zones = ["UTC", "+05:30", "-03:00", "Europe/Berlin", "America/New_York"]
const calendars = ["month", "quarter", "year", "week"]

const metric = (random: Random): object => {
  const kind = random.pick(["min", "max", "sum", "avg", "stats", "value_count", "cardinality", "percentiles"])
  return { [kind]: { field: random.pick([...fields, "_id", "_index"]) } }
}

const bucket = (random: Random, depth: number): object => {
  const kind = random.pick(["terms", "terms", "date_histogram", "filter"])
  const inner = random.chance(0.8) ? { aggs: aggregations(random, depth + 1) } : {}
  if (kind === "filter")
    return { filter: random.chance(0.5) ? {} : { exists: { field: random.pick(fields) } }, ...inner }
  if (kind === "date_histogram") {
    const interval = random.chance(0.7)
      ? { calendar_interval: random.pick(calendars) }
      : { fixed_interval: random.pick(["30d", "400d"]) }
    const settings = {
      field: random.chance(0.8) ? "@timestamp" : random.pick(fields),
      ...interval,
      time_zone: random.pick(zones),
      min_doc_count: random.below(2),
      ...(random.chance(0.2) ? { order: { _count: "desc" } } : {})
    }
    return { date_histogram: settings, ...inner }
  }
  const settings = {
    field: random.pick([...fields, "_index"]),
    size: 1 + random.below(6),
    ...(random.chance(0.3) ? { order: { [random.pick(["_count", "_key"])]: random.pick(["asc", "desc"]) } } : {}),
    ...(random.chance(0.2) ? { missing: random.pick(["none", 5, true]) } : {}),
    ...(random.chance(0.2) ? { min_doc_count: 2 } : {})
  }
  return { terms: settings, ...inner }
}

const aggregations = (random: Random, depth = 0): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length: 1 + random.below(2) }, (_, at) => [
      `a${at}`,
      depth < 2 && random.chance(0.7) ? bucket(random, depth) : metric(random)
    ])
  )

/** A page without the texts of its documents, whose blanks differ, and numbers by their value. */
const told = ({ hits, more }: SortedPage) => ({
  more,
  hits: hits.map(({ id, index, sort }) => [
    id,
    index,
    ...sort.map((value) => (value?._tag === "number" ? { number: Number(value.digits) } : value))
  ])
})

layer(onPostgres)("aggregations in PostgreSQL", (it) => {
  it.effect("are what the documents say, whatever the documents and the request", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const memory = Context.get(yield* Layer.build(inMemory), Search)
      let filled = 0
      for (let batch = 0; batch < 4; batch++) {
        const random = randomOf(7000 + batch)
        const written = Array.from({ length: 150 }, (_, index) => ({
          id: `d${index}`,
          source: JSON.stringify(document(random))
        }))
        for (const [at, index] of [`t-${batch}`, `t-${batch}-more`].entries()) {
          const some = written.slice(at * 100, at * 100 + 100)
          yield* Effect.all([search.write("t", index, some), memory.write("t", index, some)])
        }
        for (let run = 0; run < 40; run++) {
          const asked = aggregations(random)
          const parsedQuery = random.chance(0.5)
            ? parseQuery({}, now)
            : parseQuery(readDigits(JSON.stringify(query(random))), now)
          if (Result.isFailure(parsedQuery)) continue
          const parsed = Result.getOrThrow(parseAggregations(asked, now, ""))
          const answers = (in_: Search["Service"]) =>
            Effect.catchTag(
              in_.aggregate("t", `t-${batch}*`, parsedQuery.success, parsed),
              "TooManyBuckets",
              ({ pointer }) => Effect.succeed({ tooMany: pointer })
            )
          const told = `batch ${batch}, run ${run}: ${JSON.stringify(asked)}`
          const mine = yield* Effect.catchCause(answers(search), (cause) => Effect.die(new Error(told, { cause })))
          const theirs = yield* answers(memory)
          if (!isClose(mine, theirs)) assert.deepStrictEqual(mine, theirs, told)
          if (JSON.stringify(mine).includes('"doc_count":')) filled++
        }
      }
      assert.isAbove(filled, 60)
    })
  )

  it.effect("sorts documents as they are, whatever the documents and the order, and goes on after each of them", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const memory = Context.get(yield* Layer.build(inMemory), Search)
      const random = randomOf(31)
      const written = Array.from({ length: 200 }, (_, index) => ({
        id: `d${index}`,
        source: JSON.stringify(document(random))
      }))
      for (const [at, index] of ["t-sort", "t-sort-more"].entries()) {
        const some = written.slice(at * 80, at * 80 + 120)
        yield* Effect.all([search.write("t", index, some), memory.write("t", index, some)])
      }
      for (let run = 0; run < 25; run++) {
        const asked = Array.from({ length: 1 + random.below(2) }, () => ({
          [random.pick([...fields, "@timestamp", "@timestamp", "_id", "_index"])]: {
            order: random.pick(["asc", "desc"]),
            missing: random.pick(["_first", "_last"])
          }
        }))
        const sort = Result.getOrThrow(parseSort(asked, "/sort"))
        const page = { sort, limit: 1 + random.below(60), bytes: 1e9 }
        const what = JSON.stringify(asked)
        const start = { ...page, from: random.below(30) }
        const first = yield* search.sorted("t", "t-sort*", all, start)
        assert.deepStrictEqual(told(first), told(yield* memory.sorted("t", "t-sort*", all, start)), what)
        // The pages after one another are the whole.
        const whole = yield* search.sorted("t", "t-sort*", all, { ...page, limit: 1000, from: 0 })
        assert.lengthOf(whole.hits, 240)
        for (const at of [0, 7, 100, 238]) {
          const { sort: values, id, index } = whole.hits[at]!
          const next = { ...page, from: 0, limit: 5, after: { values, id, index } }
          const rest = yield* search.sorted("t", "t-sort*", all, next)
          assert.deepStrictEqual(rest.hits, whole.hits.slice(at + 1, at + 6), `${what} after ${at}`)
          const loose = { ...next, after: { values } }
          const later = yield* search.sorted("t", "t-sort*", all, loose)
          assert.deepStrictEqual(told(later), told(yield* memory.sorted("t", "t-sort*", all, loose)), what)
        }
      }
    })
  )
})
