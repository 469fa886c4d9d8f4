import * as Predicate from "effect/Predicate"
import { isRaw } from "../json/JsonNumbers.ts"

/** A name with more parts is only looked up as nested members and as one member. */
const splitParts = 4

/** The ways to split a dotted name into members. */
export const cuts = (parts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  if (parts.length > splitParts) return [parts, [parts.join(".")]]
  const [first, ...rest] = parts
  if (first === undefined) return [[]]
  if (rest.length === 0) return [[first]]
  return [...cuts(rest).map((cut) => [first, ...cut]), ...cuts([`${first}.${rest[0]}`, ...rest.slice(1)])]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !isRaw(value)

/** A member of the values, through one level of lists. */
export const members = (values: ReadonlyArray<unknown>, name: string): ReadonlyArray<unknown> =>
  values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []))

const memberAt = (value: unknown, way: ReadonlyArray<string>): unknown =>
  way.reduce<unknown>((inner, name) => {
    if (isObject(inner)) return Object.hasOwn(inner, name) ? inner[name] : undefined
    return Array.isArray(inner) && /^\d{1,9}$/.test(name) ? inner[Number(name)] : undefined
  }, value)

/**
 * The value of a field in a row, given as the parts of its name: the nested member first, the member with the whole
 * dotted name last, else a list of the values that the name reaches through lists. Undefined when there is none, or
 * only null and nulls are skipped.
 */
export const valueAt = (document: unknown, parts: ReadonlyArray<string>, passesNull = false): unknown => {
  const ways = cuts(parts)
  for (const way of ways) {
    const value = memberAt(document, way)
    if (value !== undefined && (value !== null || !passesNull)) return value
  }
  for (const way of ways.filter(({ length }) => length > 1)) {
    const values = way
      .reduce(members, [document] as ReadonlyArray<unknown>)
      .flat()
      .filter((value) => value !== null)
    if (values.length > 0) return values
  }
  return undefined
}
