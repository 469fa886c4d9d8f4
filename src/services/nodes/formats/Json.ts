import type { Event } from "../Node.ts"

const unsafe = /\d{16}/
const integer = /^-?\d+$/

/** Numbers that JavaScript cannot hold exactly keep their digits, as text. */
const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" &&
  !Number.isSafeInteger(value) &&
  context?.source !== undefined &&
  integer.test(context.source)
    ? context.source
    : value

/** Reads JSON; integers beyond 2^53 become strings. Throws a `SyntaxError`. */
export const parseJson = (text: string): unknown => (unsafe.test(text) ? JSON.parse(text, exact) : JSON.parse(text))

export const isObject = (value: unknown): value is Event =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether lists and objects stand inside each other on more levels than `levels`. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  const isContainer = (inner: unknown): inner is object => typeof inner === "object" && inner !== null
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return false
}
