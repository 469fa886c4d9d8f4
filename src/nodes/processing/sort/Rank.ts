import { compareDecimals } from "../../../languages/json/JsonNumbers.ts"

/** A number whose digits a double does not hold. */
class LongNumber {
  readonly near: number
  readonly digits: string
  constructor(near: number, digits: string) {
    this.near = near
    this.digits = digits
  }
}

/** A value that is neither number nor text. Kinds are ordered by their numbers. */
class Other {
  readonly kind: number
  readonly text: string
  constructor(kind: number, text: string) {
    this.kind = kind
    this.text = text
  }
}

/** A value made ready for comparisons; undefined for one that is missing. */
export type Rank = number | LongNumber | string | Other | undefined

const decimal = /^-?(?:0|[1-9]\d{0,999})(?:\.\d{1,1000})?(?:[eE][+-]?\d{1,9})?$/

/** Makes a value ready for comparisons; undefined for a missing one. A text that is a number counts as one. */
export const rankOf = (value: unknown): Rank => {
  if (typeof value === "number") return Number.isNaN(value) ? undefined : value
  if (typeof value === "string") {
    const first = value.charCodeAt(0)
    // Most texts begin with neither a digit nor a minus.
    if ((first > 57 || first < 48) && first !== 45) return value
    if (!decimal.test(value)) return value
    const near = Number(value)
    // Fifteen digits always survive as a double; an exponent may be beyond its range.
    return value.length < 16 && !/e/i.test(value) ? near : new LongNumber(near, value)
  }
  if (value === undefined || value === null) return undefined
  return typeof value === "boolean" ? new Other(2, value ? "b" : "a") : new Other(3, JSON.stringify(value))
}

const kindOf = (rank: Exclude<Rank, undefined>): number => {
  if (rank instanceof Other) return rank.kind
  return typeof rank === "string" ? 1 : 0
}

const compared = <A extends string | number>(a: A, b: A): number => (a < b ? -1 : a > b ? 1 : 0)
const digitsOf = (rank: number | LongNumber): string => (typeof rank === "number" ? String(rank) : rank.digits)
const nearOf = (rank: number | LongNumber): number => (typeof rank === "number" ? rank : rank.near)

/** Compares values that are there: numbers, also in texts, by their size; then texts, booleans, lists and objects. */
const compareRanks = (a: Exclude<Rank, undefined>, b: Exclude<Rank, undefined>): number => {
  if (typeof a === "number" && typeof b === "number") return compared(a, b)
  if (typeof a === "string" && typeof b === "string") return compared(a, b)
  const kinds = kindOf(a) - kindOf(b)
  if (kinds !== 0) return kinds
  if (a instanceof Other && b instanceof Other) return compared(a.text, b.text)
  if (typeof a === "string" || typeof b === "string" || a instanceof Other || b instanceof Other) return 0
  const near = compared(nearOf(a), nearOf(b))
  if (near !== 0) return near
  // An infinity, which JSON does not have, is beyond every number that is written with digits.
  if (a === Number.POSITIVE_INFINITY || b === Number.NEGATIVE_INFINITY) return 1
  if (b === Number.POSITIVE_INFINITY || a === Number.NEGATIVE_INFINITY) return -1
  return compareDecimals(digitsOf(a), digitsOf(b))
}

/** Compares lists of ranks; each place is descending or not. Missing values are last in both. */
export const comparison =
  (descending: ReadonlyArray<boolean>) =>
  (left: ReadonlyArray<Rank>, right: ReadonlyArray<Rank>): number => {
    for (let at = 0; at < descending.length; at++) {
      const [a, b] = [left[at], right[at]]
      if (a === undefined || b === undefined) {
        if (a === b) continue
        return a === undefined ? 1 : -1
      }
      const order = compareRanks(a, b)
      if (order !== 0) return descending[at] === true ? -order : order
    }
    return 0
  }
