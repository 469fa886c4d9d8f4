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
