import * as Predicate from "effect/Predicate"

/** A value of an expression: a JSON value. A missing value is null. */
export type Value = unknown

const numeric = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/

/** The number that the value is or represents. */
export const toNumber = (value: Value): number | null => {
  if (typeof value === "number") return value
  return typeof value === "string" ? numberOf(value) : null
}

/** The least integer without leading zeros that has so many digits. */
const leastOf = [Number.POSITIVE_INFINITY, 0, 10, 100, 1000, 10_000, 100_000]

const numberOf = (text: string): number | null => {
  // Short integers, such as a status, are most of all. A text that is none, such as 0x10 or one with blanks, gives a
  // smaller number than one of its length.
  if (text.length < leastOf.length) {
    const value = Number(text)
    if (value >= leastOf[text.length]! && Number.isInteger(value)) return value
  }
  return numeric.test(text) ? Number(text) : null
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** Own members only: `constructor` and the like are ordinary fields. */
export const member = (value: Value, key: string | number): Value => {
  if (Array.isArray(value)) return typeof key === "number" || /^\d+$/.test(key) ? (value[Number(key)] ?? null) : null
  return Predicate.isObject(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null
}

/** Two texts are compared as texts. If one side is a number, the other must be or represent a number. */
const equal = (left: Value, right: Value): boolean => {
  if (left === right) return true
  if (typeof left === "number") return typeof right === "string" && toNumber(right) === left
  return typeof right === "number" && typeof left === "string" && toNumber(left) === right
}

/** Negative, zero or positive; `undefined` when the values have no order. */
const order = (left: Value, right: Value): number | undefined => {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0
  if (typeof left !== "number" && typeof right !== "number") return undefined
  const a = toNumber(left)
  const b = toNumber(right)
  return a === null || b === null ? undefined : a - b
}

/** The number that a number is compared with, in place of the value: none is less, equal or greater than NaN. */
export const compareWith = (value: Value): number =>
  typeof value === "number" ? value : typeof value === "string" ? (numberOf(value) ?? Number.NaN) : Number.NaN

const arithmetic =
  (compute: (a: number, b: number) => number) =>
  (left: Value, right: Value): Value => {
    const a = toNumber(left)
    const b = toNumber(right)
    return a === null || b === null ? null : finite(compute(a, b))
  }

const sum = arithmetic((a, b) => a + b)
const isText = (value: Value): value is string | number => typeof value === "string" || typeof value === "number"

/** Adds numbers and concatenates texts. */
const plus = (left: Value, right: Value): Value => {
  if (typeof left === "string" && typeof right === "string") return left + right
  return sum(left, right) ?? (isText(left) && isText(right) ? `${left}${right}` : null)
}

export const binaryOperators: ReadonlyMap<string, (left: Value, right: Value) => Value> = new Map([
  ["==", equal],
  ["!=", (a: Value, b: Value) => !equal(a, b)],
  ["===", (a: Value, b: Value) => a === b],
  ["!==", (a: Value, b: Value) => a !== b],
  ["<", (a: Value, b: Value) => (order(a, b) ?? 0) < 0],
  ["<=", (a: Value, b: Value) => (order(a, b) ?? 1) <= 0],
  [">", (a: Value, b: Value) => (order(a, b) ?? 0) > 0],
  [">=", (a: Value, b: Value) => (order(a, b) ?? -1) >= 0],
  ["+", plus],
  ["-", arithmetic((a, b) => a - b)],
  ["*", arithmetic((a, b) => a * b)],
  ["/", arithmetic((a, b) => a / b)],
  ["%", arithmetic((a, b) => a % b)]
])

/** Whether a list contains the item, or a text contains it as a part. */
export const contains = (container: Value, item: Value): boolean => {
  if (Array.isArray(container)) return container.some((element) => equal(element, item))
  return typeof container === "string" && isText(item) && container.includes(String(item))
}

/** Whether any element of a list, or the text of a number or text, matches. */
export const matches = (value: Value, regex: RegExp): boolean =>
  Array.isArray(value)
    ? value.some((element) => isText(element) && regex.test(String(element)))
    : isText(value) && regex.test(String(value))

const text = (value: Value): string | undefined => (isText(value) ? String(value) : undefined)

/** The functions by name, with the number of their arguments. */
export const functions: ReadonlyMap<string, { arity: number; call: (first: Value, second: Value) => Value }> = new Map([
  ["exists", { arity: 1, call: (value: Value): Value => value !== null }],
  ["contains", { arity: 2, call: (container: Value, item: Value): Value => contains(container, item) }],
  ["startsWith", { arity: 2, call: (a: Value, b: Value): Value => text(a)?.startsWith(text(b) ?? "\u0000") ?? false }],
  ["endsWith", { arity: 2, call: (a: Value, b: Value): Value => text(a)?.endsWith(text(b) ?? "\u0000") ?? false }],
  ["lower", { arity: 1, call: (value: Value): Value => text(value)?.toLowerCase() ?? null }],
  ["number", { arity: 1, call: (value: Value): Value => toNumber(value) }],
  [
    "length",
    { arity: 1, call: (value: Value): Value => (Array.isArray(value) ? value.length : (text(value)?.length ?? null)) }
  ]
])
