import * as Predicate from "effect/Predicate"
import { unknownName } from "../../languages/Suggest.ts"

/** A fault at a path inside a value. */
interface Fault {
  readonly path: ReadonlyArray<string | number>
  readonly detail: string
  /** The member's name is at fault, not its value. */
  readonly key?: true
}

const is: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: (value) => typeof value === "number" && Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: Predicate.isObject
}

/** The name of a value's type in faults. */
export const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A short description of the values that a schema accepts. */
const wanted = (schema: Readonly<Record<string, unknown>>): string => {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" or ")
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].filter(Predicate.isObject).map(wanted).join(" or ")
  return typeof schema["type"] === "string" ? schema["type"] : "any value"
}

/**
 * All faults of a value against a schema. Supports the keywords that describe settings of Python nodes: `type`, `enum`,
 * `anyOf`, `items`, `properties`, `required` and `additionalProperties`.
 */
export const faultsOf = (
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  path: ReadonlyArray<string | number> = []
): ReadonlyArray<Fault> => {
  const expected = () => [{ path, detail: `Expected ${wanted(schema)}, found ${kindOf(value)}` }]
  const { type, enum: values, anyOf } = schema
  if (Array.isArray(values) && !values.some((one) => JSON.stringify(one) === JSON.stringify(value))) return expected()
  const alternatives = listOf(anyOf).filter(Predicate.isObject)
  if (alternatives.length > 0 && !alternatives.some((one) => faultsOf(one, value).length === 0)) return expected()
  if (typeof type === "string" && is[type]?.(value) === false) return expected()
  if (Array.isArray(value) && Predicate.isObject(schema["items"])) {
    const { items } = schema
    return value.flatMap((item, index) => faultsOf(items, item, [...path, index]))
  }
  return Predicate.isObject(value) ? membersOf(schema, value, path) : []
}

const membersOf = (
  schema: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
  path: ReadonlyArray<string | number>
): ReadonlyArray<Fault> => {
  const properties = Predicate.isObject(schema["properties"]) ? schema["properties"] : {}
  const others = schema["additionalProperties"]
  const missing = listOf(schema["required"]).filter((name) => typeof name === "string" && !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => ({ path, detail: `The setting ${JSON.stringify(name)} is required` })),
    ...Object.entries(value).flatMap(([name, inner]): ReadonlyArray<Fault> => {
      const own = Object.hasOwn(properties, name) ? properties[name] : others
      if (Predicate.isObject(own)) return faultsOf(own, inner, [...path, name])
      return own === false
        ? [{ path: [...path, name], detail: unknownName(name, Object.keys(properties)), key: true }]
        : []
    })
  ]
}
