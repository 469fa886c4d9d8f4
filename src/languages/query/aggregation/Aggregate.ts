import { Effect } from "effect"
import { allOf, type Query } from "../Query.ts"
import {
  type Aggregation,
  aggregationLimits,
  type Bucket,
  isBucket,
  type Metric,
  type Order,
  type Terms
} from "./Aggregation.ts"
import {
  type Answer,
  bucketsOf,
  compareMetrics,
  datesAnswer,
  emptyAnswers,
  emptyBytes,
  keyBytes,
  metricAnswer,
  termsAnswer
} from "./Answers.ts"
import { bucketStarts } from "./DateBuckets.ts"
import {
  type AggregationEngine,
  type Group,
  type GroupBy,
  type GroupKey,
  type GroupRequest,
  type Measure,
  TooManyBuckets
} from "./Grouping.ts"
import { isAlone, measuresOf } from "./Measures.ts"
import { compareKeys } from "./TermOrder.ts"

/** The groups around an aggregation. */
interface Around {
  readonly query: Query
  readonly by: ReadonlyArray<GroupBy>
  readonly within: GroupRequest["within"]
}

/** The answers of an aggregation by the keys of the bucket that they belong to. */
type Answers = ReadonlyMap<string, Answer>

type Metrics = ReadonlyArray<readonly [Aggregation, Metric]>

/** Bytes of a bucket besides its key and what is in it. */
const bucketBytes = 40

/** The one group of all documents, which are not counted. */
const everything: ReadonlyArray<Group> = [{ keys: [], documents: 0, total: 0, values: [] }]

const pathOf = (keys: ReadonlyArray<GroupKey>): string => JSON.stringify(keys)

/** Answers aggregations as Elasticsearch does. `query` finds the documents. */
export const aggregate = <E>(
  engine: AggregationEngine<E>,
  query: Query,
  aggregations: ReadonlyArray<Aggregation>
): Effect.Effect<Answer, E | TooManyBuckets> => {
  const most = aggregationLimits.groups
  const tooMany = (pointer: string, cure: string) =>
    new TooManyBuckets({ pointer, detail: `The aggregation makes more than ${most} buckets: ${cure}` })
  const tooLarge = (pointer: string) =>
    new TooManyBuckets({
      pointer,
      detail: `The answer is larger than ${aggregationLimits.bytes >> 20} MiB: take a smaller size or a longer interval, fewer metrics, or narrow the query`
    })

  const start: Around = { query, by: [], within: undefined }
  let left = aggregationLimits.bytes
  const spend = (pointer: string, bytes: number) =>
    Effect.suspend(() => {
      left -= bytes
      return left < 0 ? Effect.fail(tooLarge(pointer)) : Effect.void
    })

  /** The groups of a request, when there are not too many of them. */
  const groupsOf = Effect.fnUntraced(function* (pointer: string, request: Omit<GroupRequest, "room">, each: number) {
    const found = yield* engine.groups({ ...request, room: { bytes: left, each } })
    if (found === undefined) return yield* tooLarge(pointer)
    if (found.length > most)
      return yield* tooMany(pointer, "take a longer interval or a smaller size, or narrow the query")
    return found
  })

  /** The answers of metrics in the groups of a level, which `top` chooses. */
  const grouped = Effect.fnUntraced(function* (
    pointer: string,
    around: Around,
    metrics: Metrics,
    top: GroupRequest["top"] | ((measures: ReadonlyArray<Measure>) => GroupRequest["top"]),
    each: number
  ) {
    const together = metrics.flatMap(([, metric]) => measuresOf(metric)).filter((measure) => !isAlone(measure))
    const request = { ...around, measures: together, top: typeof top === "function" ? top(together) : top }
    // Metrics at the top need no number of documents: a bucket does.
    const isCounted = around !== start || together.length > 0
    const found = isCounted ? yield* groupsOf(pointer, request, each) : everything
    const answers = new Map<string, Answer>(found.map(({ keys }) => [pathOf(keys), {}]))
    const within = request.top === undefined ? around : { ...around, within: found.map(({ keys }) => keys) }
    let at = 0
    for (const [{ name }, metric] of metrics) {
      const measures = measuresOf(metric)
      const isOwn = measures.some(isAlone)
      const groups = isOwn ? yield* groupsOf(pointer, { ...within, measures, top: undefined }, 0) : found
      const from = isOwn ? 0 : at
      if (!isOwn) at += measures.length
      for (const { keys, values } of groups) {
        const answer = answers.get(pathOf(keys))
        if (answer !== undefined) answer[name] = metricAnswer(metric, values.slice(from, from + measures.length))
      }
      // A group of which no document has the field has no row of its own.
      for (const answer of answers.values()) answer[name] ??= metricAnswer(metric, [])
    }
    return { found, answers }
  })

  /** The first terms by a metric that the groups themselves cannot be ordered by: all groups are compared here. */
  const compared = Effect.fnUntraced(function* (pointer: string, around: Around, metrics: Metrics, terms: Terms) {
    const { by } = terms.order
    const first = metrics.filter(([{ name }]) => by._tag === "metric" && name === by.name)
    const { found, answers } = yield* grouped(pointer, around, first, undefined, 0)
    const answerOf = ({ keys }: Group) => answers.get(pathOf(keys)) ?? {}
    const chosen = [...Map.groupBy(found, ({ keys }) => pathOf(keys.slice(0, -1))).values()].flatMap((groups) => {
      const total = groups.reduce((sum, { documents }) => sum + documents, 0)
      return groups
        .filter(({ documents }) => documents >= terms.least)
        .sort(
          (a, b) => compareMetrics(answerOf(a), answerOf(b), terms.order) || compareKeys(a.keys.at(-1)!, b.keys.at(-1)!)
        )
        .slice(0, terms.size)
        .map((group) => ({ ...group, total }))
    })
    const within = { ...around, within: chosen.map(({ keys }) => keys) }
    const rest = metrics.filter((metric) => !first.includes(metric))
    const others = rest.length === 0 ? undefined : yield* grouped(pointer, within, rest, undefined, 0)
    const full = chosen.map(({ keys }): readonly [string, Answer] => {
      const path = pathOf(keys)
      return [path, { ...answers.get(path), ...others?.answers.get(path) }]
    })
    return { found: chosen, answers: new Map(full) }
  })

  const metricsOf = (all: ReadonlyArray<Aggregation>) =>
    all.flatMap((one) => (isBucket(one.kind) ? [] : [[one, one.kind] as const]))

  /** The answers of all aggregations at one level, except its own metrics, by the keys of the buckets around them. */
  const inside = Effect.fnUntraced(function* (all: ReadonlyArray<Aggregation>, around: Around) {
    const found = new Map<string, Map<string, Answer>>()
    for (const one of all) {
      if (!isBucket(one.kind)) continue
      for (const [path, answer] of yield* bucketAnswers(one, one.kind, around)) {
        const named = found.get(path) ?? new Map<string, Answer>()
        found.set(path, named.set(one.name, answer))
      }
    }
    const empty = emptyAnswers(all.filter(({ kind }) => isBucket(kind)))
    return (path: string): Answer => ({ ...empty, ...Object.fromEntries(found.get(path) ?? []) })
  })

  const bucketAnswers = (
    one: Aggregation,
    bucket: Bucket,
    around: Around
  ): Effect.Effect<Answers, E | TooManyBuckets> =>
    bucket._tag === "filter"
      ? filterAnswers(one, { ...around, query: allOf([around.query, bucket.query]) })
      : Effect.gen(function* () {
          const by = yield* groupBy(one, bucket, around)
          if (by === undefined) return new Map<string, Answer>()
          return yield* keyedAnswers(one, bucket, { ...around, by: [...around.by, by] })
        })

  const filterAnswers = Effect.fnUntraced(function* (one: Aggregation, around: Around) {
    const each = emptyBytes(one.inner)
    const { found, answers } = yield* grouped(one.pointer, around, metricsOf(one.inner), undefined, each)
    yield* spend(one.pointer, found.length * each)
    const within = yield* inside(one.inner, around)
    return new Map(
      found.map(({ keys, documents }) => {
        const path = pathOf(keys)
        return [path, { doc_count: documents, ...within(path), ...answers.get(path) }]
      })
    )
  })

  const groupBy = Effect.fnUntraced(function* (
    { pointer }: Aggregation,
    bucket: Exclude<Bucket, { readonly _tag: "filter" }>,
    { query }: Around
  ) {
    if (bucket._tag === "terms") {
      return { _tag: "terms", field: bucket.field, missing: bucket.missing } satisfies GroupBy
    }
    const times = yield* engine.times(query, bucket.field)
    if (times === undefined) return undefined
    const starts = bucketStarts(bucket, times.from, times.to)
    if (starts === undefined)
      return yield* tooMany(`${pointer}/date_histogram`, "take a longer interval, or narrow the query")
    return { _tag: "dates", field: bucket.field, starts } satisfies GroupBy
  })

  /** The groups around what is in the buckets of an aggregation: of terms, those that are shown. */
  const shownIn = (bucket: Bucket, found: ReadonlyArray<Group>, around: Around): Around =>
    bucket._tag === "terms" ? { ...around, within: found.map(({ keys }) => keys) } : around

  const keyedAnswers = Effect.fnUntraced(function* (
    one: Aggregation,
    bucket: Exclude<Bucket, { readonly _tag: "filter" }>,
    around: Around
  ) {
    const metrics = metricsOf(one.inner)
    const placeOf = ({ by }: Order, measures: ReadonlyArray<Measure>): "count" | "key" | number => {
      if (by._tag !== "metric") return by._tag
      const metric = metrics.find(([{ name }]) => name === by.name)?.[1]
      const [wanted] = metric === undefined ? [] : measuresOf(metric)
      const at = measures.findIndex(({ field, of }) => field === wanted?.field && of === wanted.of)
      return at === -1 ? "count" : at
    }
    const top = (measures: ReadonlyArray<Measure>): GroupRequest["top"] =>
      bucket._tag === "terms"
        ? {
            size: bucket.size,
            by: placeOf(bucket.order, measures),
            descending: bucket.order.descending,
            least: bucket.least
          }
        : undefined
    const each = emptyBytes(one.inner) + bucketBytes
    const isCompared = metrics.some(
      ([{ name }, metric]) =>
        bucket._tag === "terms" &&
        bucket.order.by._tag === "metric" &&
        name === bucket.order.by.name &&
        measuresOf(metric).some(isAlone)
    )
    const { found, answers } =
      isCompared && bucket._tag === "terms"
        ? yield* compared(one.pointer, around, metrics, bucket)
        : yield* grouped(one.pointer, around, metrics, top, each)
    yield* spend(
      one.pointer,
      found.reduce((sum, { keys }) => sum + keyBytes(keys.at(-1)!) + each, 0)
    )
    const within = yield* inside(one.inner, shownIn(bucket, found, around))
    const byParent = Map.groupBy(found, (group) => pathOf(group.keys.slice(0, -1)))
    const full = ({ keys }: Group): Answer => {
      const path = pathOf(keys)
      return { ...within(path), ...answers.get(path) }
    }
    const empty = () => emptyAnswers(one.inner)
    if (bucket._tag === "date_histogram") {
      const all = byParent.values().reduce((sum, groups) => sum + bucketsOf(bucket, groups), 0)
      if (all > most) return yield* tooMany(one.pointer, "take a longer interval, or min_doc_count 1")
      yield* spend(one.pointer, (all - found.length) * (each + 40))
    }
    return new Map(
      [...byParent].map(([path, groups]) => [
        path,
        bucket._tag === "terms" ? termsAnswer(groups, full) : datesAnswer(bucket, startsOf(around), groups, full, empty)
      ])
    )
  })

  const startsOf = ({ by }: Around): ReadonlyArray<number> => {
    const last = by.at(-1)
    return last?._tag === "dates" ? last.starts : []
  }

  return Effect.gen(function* () {
    const metrics = metricsOf(aggregations)
    const { answers } = yield* metrics.length === 0
      ? Effect.succeed({ answers: new Map<string, Answer>() })
      : grouped("", start, metrics, undefined, 0)
    const within = yield* inside(aggregations, start)
    const all = { ...within(pathOf([])), ...answers.get(pathOf([])) }
    return Object.fromEntries(aggregations.map(({ name }) => [name, all[name]]))
  })
}
