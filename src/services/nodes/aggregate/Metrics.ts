/** What a metric is made of, one value after the other, in any order. */
export interface Metric {
  /** Why the value cannot be taken, if it cannot. Missing values are passed over. */
  readonly refuses: (value: unknown) => string | undefined
  readonly add: (value: unknown) => void
  readonly result: () => unknown
}

/** Different values that `distinct` keeps for a group. */
const maxDistinct = 100_000

const integer = /^-?\d{1,100}$/

/** The number that a value stands for: exact where it is an integer, in text or not. */
const numeric = (value: unknown): number | bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== "string") return undefined
  const text = value.trim()
  if (integer.test(text)) return BigInt(text)
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined
}

/** As JSON can hold it: integers beyond 2^53, and what is over the range of numbers, as text. */
const written = (value: number | bigint): number | string => {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

const ofNumbers = (add: (value: number | bigint) => void, result: () => unknown): Metric => ({
  refuses: (value) => (isMissing(value) || numeric(value) !== undefined ? undefined : "is no number"),
  add: (value) => {
    const number = isMissing(value) ? undefined : numeric(value)
    if (number !== undefined) add(number)
  },
  result
})

/** Integers are summed exactly; what is no integer apart, with the error of each addition carried on (Kahan). */
class Sum {
  #integers = 0n
  #rest = 0
  #carried = 0
  count = 0

  add(value: number | bigint): void {
    this.count++
    if (typeof value === "bigint") {
      this.#integers += value
      return
    }
    const next = value - this.#carried
    const sum = this.#rest + next
    this.#carried = Number.isFinite(sum) ? sum - this.#rest - next : 0
    this.#rest = sum
  }

  get value(): number | bigint {
    return this.#rest === 0 ? this.#integers : Number(this.#integers) + this.#rest
  }
}

const sum = (): Metric => {
  const total = new Sum()
  return ofNumbers(
    (value) => total.add(value),
    () => written(total.value)
  )
}

const avg = (): Metric => {
  const total = new Sum()
  return ofNumbers(
    (value) => total.add(value),
    () => (total.count === 0 ? null : written(Number(total.value) / total.count))
  )
}

const extreme = (isBetter: (a: number | bigint, b: number | bigint) => boolean): Metric => {
  let best: number | bigint | undefined
  return ofNumbers(
    (value) => {
      if (best === undefined || isBetter(value, best)) best = value
    },
    () => (best === undefined ? null : written(best))
  )
}

const count = (): Metric => {
  let all = 0
  return {
    refuses: () => undefined,
    add: (value) => {
      if (!isMissing(value)) all++
    },
    result: () => all
  }
}

const distinct = (): Metric => {
  const seen = new Set<string>()
  const keyOf = (value: unknown) => JSON.stringify(value) ?? ""
  return {
    refuses: (value) =>
      seen.size < maxDistinct || isMissing(value) || seen.has(keyOf(value))
        ? undefined
        : `has more than ${maxDistinct} different values in a group`,
    add: (value) => {
      if (!isMissing(value)) seen.add(keyOf(value))
    },
    result: () => seen.size
  }
}

const first = (): Metric => {
  let found: unknown
  return {
    refuses: () => undefined,
    add: (value) => {
      found ??= value
    },
    result: () => found ?? null
  }
}

const last = (): Metric => {
  let found: unknown
  return {
    refuses: () => undefined,
    add: (value) => {
      found = value ?? found
    },
    result: () => found ?? null
  }
}

/** The kinds of metric. `first` and `last` go by the order in which records come. */
export const metrics = {
  count,
  sum,
  avg,
  min: () => extreme((a, b) => a < b),
  max: () => extreme((a, b) => a > b),
  distinct,
  first,
  last
} as const
export type MetricKind = keyof typeof metrics
