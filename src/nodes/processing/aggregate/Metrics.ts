/** Computes a metric from values that are added one at a time. */
export interface Metric {
  /** Why the value is not acceptable, if so. Missing values are ignored. */
  readonly refuses: (value: unknown) => string | undefined
  readonly add: (value: unknown) => void
  readonly result: () => unknown
}

/** Maximum number of different values that `distinct` keeps per group. */
const maxDistinct = 100_000

const integer = /^-?\d{1,100}$/

/** The number of a value, also of a text; integers are exact. */
const numeric = (value: unknown): number | bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== "string") return undefined
  const text = value.trim()
  if (integer.test(text)) return BigInt(text)
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined
}

/** The value for JSON: integers beyond 2^53 and numbers beyond the range of doubles become text. */
const written = (value: number | bigint): number | string => {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

// Classes, because there is an instance for each group and metric: closures would take several times the memory.

/** A metric of numbers. */
abstract class OfNumbers implements Metric {
  refuses(value: unknown): string | undefined {
    return isMissing(value) || numeric(value) !== undefined ? undefined : "is not a number"
  }
  add(value: unknown): void {
    const number = isMissing(value) ? undefined : numeric(value)
    if (number !== undefined) this.take(number)
  }
  protected abstract take(number: number | bigint): void
  abstract result(): unknown
}

/** Sums integers exactly, and other numbers separately with compensation of rounding errors (Kahan). */
class Sum extends OfNumbers {
  #integers: number | bigint = 0
  #rest = 0
  #carried = 0
  protected count = 0

  protected take(value: number | bigint): void {
    this.count++
    if (typeof value === "bigint") {
      this.#integers = exactly(this.#integers, value)
      return
    }
    const next = value - this.#carried
    const sum = this.#rest + next
    this.#carried = Number.isFinite(sum) ? sum - this.#rest - next : 0
    this.#rest = sum
  }

  protected get value(): number | bigint {
    return this.#rest === 0 ? this.#integers : Number(this.#integers) + this.#rest
  }

  result(): unknown {
    return written(this.value)
  }
}

/** Adds integers: a number while it is exact, which takes less memory, else a bigint. */
const exactly = (sum: number | bigint, value: bigint): number | bigint => {
  const whole = BigInt(sum) + value
  const number = Number(whole)
  return Number.isSafeInteger(number) ? number : whole
}

class Average extends Sum {
  override result(): unknown {
    return this.count === 0 ? null : written(Number(this.value) / this.count)
  }
}

class Minimum extends OfNumbers {
  #best: number | bigint | undefined
  protected take(value: number | bigint): void {
    if (this.#best === undefined || this.isBetter(value, this.#best)) this.#best = value
  }
  protected isBetter(value: number | bigint, best: number | bigint): boolean {
    return value < best
  }
  result(): unknown {
    return this.#best === undefined ? null : written(this.#best)
  }
}

class Maximum extends Minimum {
  protected override isBetter(value: number | bigint, best: number | bigint): boolean {
    return value > best
  }
}

abstract class OfAll implements Metric {
  refuses(_: unknown): string | undefined {
    return undefined
  }
  abstract add(value: unknown): void
  abstract result(): unknown
}

class Count extends OfAll {
  #all = 0
  add(value: unknown): void {
    if (!isMissing(value)) this.#all++
  }
  result(): unknown {
    return this.#all
  }
}

const keyOf = (value: unknown) => JSON.stringify(value) ?? ""

class Distinct implements Metric {
  readonly #seen = new Set<string>()
  refuses(value: unknown): string | undefined {
    return this.#seen.size < maxDistinct || isMissing(value) || this.#seen.has(keyOf(value))
      ? undefined
      : `has more than ${maxDistinct} different values in a group`
  }
  add(value: unknown): void {
    if (!isMissing(value)) this.#seen.add(keyOf(value))
  }
  result(): unknown {
    return this.#seen.size
  }
}

class First extends OfAll {
  #found: unknown
  add(value: unknown): void {
    this.#found ??= value
  }
  result(): unknown {
    return this.#found ?? null
  }
}

class Last extends OfAll {
  #found: unknown
  add(value: unknown): void {
    this.#found = value ?? this.#found
  }
  result(): unknown {
    return this.#found ?? null
  }
}

/** The metrics by name. `first` and `last` go by the order of arrival. */
export const metrics = {
  count: () => new Count(),
  sum: () => new Sum(),
  avg: () => new Average(),
  min: () => new Minimum(),
  max: () => new Maximum(),
  distinct: () => new Distinct(),
  first: () => new First(),
  last: () => new Last()
} as const
export type MetricKind = keyof typeof metrics
