import { Predicate } from "effect"
import { type Aggregation, type DateHistogram, isBucket, type Metric, type Order, type TermKey } from "./Aggregation.ts"
import type { Group, GroupKey } from "./Grouping.ts"

export type Answer = Record<string, unknown>

const isTime = (field: string): boolean => field === "@timestamp"

const dated = (field: string, value: number | null): Answer =>
  isTime(field) && value !== null ? { value, value_as_string: new Date(value).toISOString() } : { value }

/** A percent as Elasticsearch writes it: with at least one decimal. */
const percentName = (percent: number): string => (Number.isInteger(percent) ? `${percent}.0` : String(percent))

export const metricAnswer = (metric: Metric, values: Group["values"]): Answer => {
  const [first = null] = values
  switch (metric._tag) {
    case "stats": {
      const [count, min, max, sum] = values.map((value) => (typeof value === "number" ? value : null))
      const found = count ?? 0
      return {
        count: found,
        min: min ?? null,
        max: max ?? null,
        avg: found === 0 ? null : (sum ?? 0) / found,
        sum: sum ?? 0
      }
    }
    case "percentiles": {
      const found = Array.isArray(first) ? first : []
      const pairs = metric.percents.map((percent, at) => [percentName(percent), found[at] ?? null] as const)
      return {
        values: metric.keyed ? Object.fromEntries(pairs) : pairs.map(([key, value]) => ({ key: Number(key), value }))
      }
    }
    case "min":
    case "max":
      return dated(metric.field, typeof first === "number" ? first : null)
    case "avg":
      return { value: typeof first === "number" ? first : null }
    default:
      return { value: typeof first === "number" ? first : 0 }
  }
}

/** The key of a bucket in the answer. Numbers keep their digits when they are written. */
const keyMembers = (key: TermKey): Answer => {
  switch (key._tag) {
    case "text":
      return { key: key.text }
    case "boolean":
      return { key: key.value ? 1 : 0, key_as_string: String(key.value) }
    case "number":
      return { key: JSON.parse(key.digits) as unknown, ...(isPlain(key.digits) ? {} : { key_as_string: key.digits }) }
  }
}

const isPlain = (digits: string): boolean => String(Number(digits)) === digits

export const termsAnswer = (groups: ReadonlyArray<Group>, full: (group: Group) => Answer): Answer => {
  const shown = groups.reduce((sum, { documents }) => sum + documents, 0)
  return {
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: (groups[0]?.total ?? 0) - shown,
    buckets: groups.map((group) => {
      const key = group.keys.at(-1)!
      return { ...(typeof key === "number" ? { key } : keyMembers(key)), doc_count: group.documents, ...full(group) }
    })
  }
}

/** The answer of an aggregation in a bucket without documents. */
const emptyAnswer = ({ kind, inner }: Aggregation): Answer => {
  if (!isBucket(kind)) return metricAnswer(kind, [])
  switch (kind._tag) {
    case "terms":
      return { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] }
    case "date_histogram":
      return { buckets: [] }
    case "filter":
      return { doc_count: 0, ...emptyAnswers(inner) }
  }
}

export const emptyAnswers = (all: ReadonlyArray<Aggregation>): Answer =>
  Object.fromEntries(all.map((one) => [one.name, emptyAnswer(one)]))

/** The places between the first and the last start that has documents, or only those with enough of them. */
const placesOf = ({ least }: DateHistogram, groups: ReadonlyArray<Group>): ReadonlyArray<number> => {
  const filled = groups
    .filter(({ documents }) => least === 0 || documents >= least)
    .map(({ keys }) => Number(keys.at(-1)))
  filled.sort((a, b) => a - b)
  const [first = 0, last = -1] = [filled[0], filled.at(-1)]
  return least > 0 ? filled : Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

/** How many buckets {@link datesAnswer} makes. */
export const bucketsOf = (histogram: DateHistogram, groups: ReadonlyArray<Group>): number => {
  if (histogram.least > 0) return groups.length
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { keys } of groups) {
    first = Math.min(first, Number(keys.at(-1)))
    last = Math.max(last, Number(keys.at(-1)))
  }
  return groups.length === 0 ? 0 : last - first + 1
}

/** The value of a metric by which buckets are ordered. */
const metricOrder = (answer: Answer, { name, percent }: { readonly name: string; readonly percent?: number }) => {
  const metric = answer[name]
  if (!Predicate.isObject(metric)) return null
  const { value, values } = metric
  const found = Array.isArray(values)
    ? values.find((one: unknown) => Predicate.isObject(one) && one.key === percent)
    : undefined
  const one = Predicate.isObject(found)
    ? found.value
    : percent !== undefined && Predicate.isObject(values)
      ? values[percentName(percent)]
      : value
  return typeof one === "number" ? one : null
}

/** Compares buckets by a metric in them; those without a value come last. */
export const compareMetrics = (a: Answer, b: Answer, { by, descending }: Order): number => {
  if (by._tag !== "metric") return 0
  const [one, other] = [metricOrder(a, by), metricOrder(b, by)]
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return descending ? other - one : one - other
}

/** Bytes of the answers in an empty bucket. */
export const emptyBytes = (inner: ReadonlyArray<Aggregation>): number =>
  Buffer.byteLength(JSON.stringify(emptyAnswers(inner)))

/** Bytes of a key in an answer. */
export const keyBytes = (key: GroupKey): number =>
  typeof key === "number" ? 40 : JSON.stringify(keyMembers(key)).length

/** The buckets of a date histogram; those without documents are `empty`. */
export const datesAnswer = (
  histogram: DateHistogram,
  starts: ReadonlyArray<number>,
  groups: ReadonlyArray<Group>,
  full: (group: Group) => Answer,
  empty: () => Answer
): Answer => {
  const { order } = histogram
  const byPlace = new Map(groups.map((group) => [Number(group.keys.at(-1)), group]))
  const shown = placesOf(histogram, groups)
  const buckets = shown.map((place): Answer & { doc_count: number; key: number } => {
    const key = starts[place] ?? 0
    const group = byPlace.get(place)
    return {
      key_as_string: new Date(key).toISOString(),
      key,
      doc_count: group?.documents ?? 0,
      ...(group === undefined ? empty() : full(group))
    }
  })
  const { by } = order
  const way = order.descending ? -1 : 1
  const compare = (a: (typeof buckets)[number], b: (typeof buckets)[number]): number => {
    if (by._tag === "key") return way * (a.key - b.key)
    if (by._tag === "count") return way * (a.doc_count - b.doc_count) || a.key - b.key
    return compareMetrics(a, b, order) || a.key - b.key
  }
  return { buckets: buckets.sort(compare) }
}
