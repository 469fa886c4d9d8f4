import { Predicate } from "effect"
import { type Aggregation, isBucket, type Metric } from "./Aggregation.ts"
import type { Answer } from "./Answers.ts"

/** A field that gave nothing, and its place in the request as a JSON pointer. */
export interface EmptyField {
  readonly pointer: string
  readonly field: string
}

const isEmptyMetric = (metric: Metric, { value, values, count }: Answer): boolean => {
  switch (metric._tag) {
    case "stats":
      return count === 0
    case "percentiles":
      return Predicate.isObject(values)
        ? Object.values(values).every((one) => one === null || (Predicate.isObject(one) && one.value === null))
        : true
    default:
      return value === null || value === 0
  }
}

const bucketsOf = ({ buckets }: Answer): ReadonlyArray<Answer> =>
  Array.isArray(buckets) ? buckets.filter((one: unknown): one is Answer => Predicate.isObject(one)) : []

/**
 * The fields of aggregations that found no value in any bucket.
 *
 * @param answers all answers of these aggregations: one, or that of each bucket around them
 */
export const emptyFields = (
  aggregations: ReadonlyArray<Aggregation>,
  answers: ReadonlyArray<Answer>
): ReadonlyArray<EmptyField> =>
  aggregations.flatMap(({ name, pointer, kind, inner }) => {
    const own = answers.flatMap((answer) => (Predicate.isObject(answer[name]) ? [answer[name] as Answer] : []))
    if (kind._tag === "filter") return emptyFields(inner, own)
    const here = { pointer: `${pointer}/${kind._tag}/field`, field: kind.field }
    if (!isBucket(kind)) return own.every((answer) => isEmptyMetric(kind, answer)) ? [here] : []
    const buckets = own.flatMap(bucketsOf)
    // The only bucket may be that of the documents without a value.
    const few = kind._tag === "terms" && kind.missing !== undefined ? 1 : 0
    return [...(own.every((answer) => bucketsOf(answer).length <= few) ? [here] : []), ...emptyFields(inner, buckets)]
  })
