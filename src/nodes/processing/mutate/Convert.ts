import * as Predicate from "effect/Predicate"
import { toInteger } from "../../../languages/Coercion.ts"
import { float } from "../csv/Values.ts"

export const types = ["integer", "float", "boolean", "string"] as const
type Type = (typeof types)[number]
type Scalar = string | number | boolean

const integerOf = (value: Scalar): Scalar | undefined => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value === "string") return toInteger(value)
  if (!Number.isFinite(value)) return undefined
  const whole = Math.trunc(value)
  // `+ 0` makes zero of minus zero.
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt(whole).toString()
}

const floatOf = (value: Scalar): Scalar | undefined => {
  if (typeof value === "boolean") return undefined
  if (typeof value === "string") return float(value.trim())
  return Number.isFinite(value) ? value : undefined
}

const truths = new Map<unknown, boolean>([
  ...["true", "t", "yes", "y", "on", "1", 1, true].map((one) => [one, true] as const),
  ...["false", "f", "no", "n", "off", "0", 0, false].map((one) => [one, false] as const)
])

const booleanOf = (value: Scalar): boolean | undefined =>
  truths.get(typeof value === "string" ? value.trim().toLowerCase() : value)

const stringOf = (value: Scalar): string => String(value)

const scalars: Readonly<Record<Type, (value: Scalar) => Scalar | undefined>> = {
  integer: integerOf,
  float: floatOf,
  boolean: booleanOf,
  string: stringOf
}

/** How a value that is not null gets the type, and the values of a list; undefined when it cannot have it. */
export const conversion = (type: Type): ((value: unknown) => unknown) => {
  const scalar = scalars[type]
  const convert = (value: unknown): unknown => {
    if (typeof value !== "object") return scalar(value as Scalar)
    if (value === null) return null
    if (Predicate.isObject(value)) return type === "string" ? JSON.stringify(value) : undefined
    const converted: Array<unknown> = []
    for (const item of value as ReadonlyArray<unknown>) {
      // A list in a list has no type.
      const next = Array.isArray(item) ? undefined : convert(item)
      if (next === undefined) return undefined
      converted.push(next)
    }
    return converted
  }
  return convert
}
