import { toInteger } from "../../../languages/Coercion.ts"
import { isObject, type Value } from "../../../languages/FieldPath.ts"
import { float } from "../csv/Values.ts"

export const types = ["integer", "float", "boolean", "string"] as const
export type Type = (typeof types)[number]

const integerOf = (value: string | number | boolean): Value | undefined => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value === "string") return toInteger(value)
  if (!Number.isFinite(value)) return undefined
  const whole = Math.trunc(value)
  // `+ 0` makes zero of minus zero.
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt(whole).toString()
}

const floatOf = (value: string | number | boolean): Value | undefined => {
  if (typeof value === "boolean") return undefined
  if (typeof value === "string") return float(value.trim())
  return Number.isFinite(value) ? value : undefined
}

const truths = new Map<unknown, boolean>([
  ...["true", "t", "yes", "y", "on", "1", 1, true].map((one) => [one, true] as const),
  ...["false", "f", "no", "n", "off", "0", 0, false].map((one) => [one, false] as const)
])

const booleanOf = (value: string | number | boolean): Value | undefined =>
  truths.get(typeof value === "string" ? value.trim().toLowerCase() : value)

const stringOf = (value: string | number | boolean): Value => String(value)

const scalars: Readonly<Record<Type, (value: string | number | boolean) => Value | undefined>> = {
  integer: integerOf,
  float: floatOf,
  boolean: booleanOf,
  string: stringOf
}

/** How a value that is not null gets the type, and the values of a list; undefined when it cannot have it. */
export const conversion = (type: Type): ((value: Value) => Value | undefined) => {
  const scalar = scalars[type]
  const convert = (value: Value): Value | undefined => {
    if (typeof value !== "object") return scalar(value)
    if (value === null) return null
    if (isObject(value)) return type === "string" ? JSON.stringify(value) : undefined
    const converted: Array<Value> = []
    for (const item of value as ReadonlyArray<Value>) {
      // A list in a list has no type.
      const next = Array.isArray(item) ? undefined : convert(item)
      if (next === undefined) return undefined
      converted.push(next)
    }
    return converted
  }
  return convert
}
