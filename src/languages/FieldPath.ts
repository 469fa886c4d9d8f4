import * as Predicate from "effect/Predicate"

/** Keys that would access an object's prototype. */
const refused = new Set(["__proto__", "constructor", "prototype"])

const referencePattern = /^(?:\[[^[\]]+\])+$/

/**
 * Splits a field name: `[a][b]` and `a.b` both name the field b inside a. A name with empty segments is one plain key.
 */
export const fieldPath = (name: string): ReadonlyArray<string> => {
  if (referencePattern.test(name)) return name.slice(1, -1).split("][")
  if (!name.includes(".") && !name.includes("[")) return [name]
  const segments = name.split(".")
  return segments.includes("") || name.includes("[") || name.includes("]") ? [name] : segments
}

/** The first segment that must not be used as an object key, if any. */
export const refusedSegment = (path: ReadonlyArray<string>): string | undefined =>
  path.find((segment) => refused.has(segment))

/** An object with fields: a record, or an object in one. Its values are JSON. */
export type Fields = Record<string, unknown>

/**
 * Sets a value at a path and creates the objects on the way. False when the path passes through a scalar, or ends at an
 * object.
 */
export const setPath = (fields: Fields, path: ReadonlyArray<string>, value: unknown): boolean => {
  let parent = fields
  for (let depth = 0; depth < path.length - 1; depth++) {
    const key = path[depth]!
    const child = Object.hasOwn(parent, key) ? parent[key] : undefined
    if (Predicate.isObject(child)) parent = child
    else if (child === undefined) {
      const made: Fields = {}
      parent[key] = made
      parent = made
    } else return false
  }
  const last = path[path.length - 1]!
  if (Object.hasOwn(parent, last) && Predicate.isObject(parent[last])) return false
  parent[last] = value
  return true
}

/** The value at a path, or undefined. */
export const getPath = (fields: Fields, path: ReadonlyArray<string>): unknown => {
  let value: unknown = fields
  for (let depth = 0; depth < path.length; depth++) {
    const key = path[depth]!
    if (!Predicate.isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** A copy with the value at the path (undefined removes it); undefined when a scalar is in the way. */
export const withPath = (event: Fields, path: ReadonlyArray<string>, value: unknown): Fields | undefined => {
  const [key, ...rest] = path as [string, ...Array<string>]
  if (rest.length === 0) {
    if (value !== undefined) return { ...event, [key]: value }
    const { [key]: _, ...others } = event
    return others
  }
  const child = Object.hasOwn(event, key) ? event[key] : undefined
  if (child !== undefined && child !== null && !Predicate.isObject(child)) return undefined
  if (child === undefined && value === undefined) return event
  const inner = withPath(Predicate.isObject(child) ? child : {}, rest, value)
  return inner === undefined ? undefined : { ...event, [key]: inner }
}

/**
 * Sets a value in an event that is already a copy. Objects on the path are copied too. False when a scalar is in the
 * way.
 */
export const putPath = (event: Fields, path: ReadonlyArray<string>, value: unknown): boolean => {
  const key = path[0]!
  if (path.length === 1) {
    event[key] = value
    return true
  }
  const child = Object.hasOwn(event, key) ? event[key] : undefined
  if (child !== undefined && child !== null && !Predicate.isObject(child)) return false
  const copy = Predicate.isObject(child) ? { ...child } : {}
  event[key] = copy
  return putPath(copy, path.slice(1), value)
}
