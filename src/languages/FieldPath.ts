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

const elementKey = /^-?\d{1,9}$/

/** Whether the name can be one of something in a list. */
export const mayBeElement = (path: ReadonlyArray<string>): boolean =>
  path.some((key, depth) => depth > 0 && elementKey.test(key))

/** The place of an element in a list, counted from 0, or with a minus from the end; undefined where there is none. */
const placeIn = (list: ReadonlyArray<unknown>, key: string): number | undefined => {
  if (!elementKey.test(key)) return undefined
  const at = key.startsWith("-") ? list.length + Number(key) : Number(key)
  return at >= 0 && at < list.length ? at : undefined
}

/** The value of a member or an element. */
const valueIn = (parent: unknown, key: string): unknown => {
  if (Predicate.isObject(parent)) return Object.hasOwn(parent, key) ? parent[key] : undefined
  if (!Array.isArray(parent)) return undefined
  const at = placeIn(parent, key)
  return at === undefined ? undefined : parent[at]
}

/** The value at a path, or undefined. A number is also the place of an element in a list. */
export const getPath = (fields: Fields, path: ReadonlyArray<string>): unknown => {
  let value: unknown = fields
  for (let depth = 0; depth < path.length; depth++) {
    value = valueIn(value, path[depth]!)
    if (value === undefined) return undefined
  }
  return value
}

/** Whether the path names something in a list of the event, which may be missing there. */
export const isInList = (event: Fields, path: ReadonlyArray<string>): boolean => {
  let parent: unknown = event
  for (const key of path) {
    if (Array.isArray(parent)) return elementKey.test(key)
    parent = valueIn(parent, key)
  }
  return false
}

/**
 * What of a value lies at the paths, from this depth on: an object with some of its members, or a list with some of its
 * elements in their order. Undefined where nothing does.
 */
export const partOf = (value: unknown, paths: ReadonlyArray<ReadonlyArray<string>>, depth = 0): unknown => {
  if (paths.some((path) => path.length === depth)) return value
  if (Array.isArray(value)) {
    // Several names can be those of one element.
    const places = Map.groupBy(paths, (path) => placeIn(value, path[depth]!) ?? -1)
    const parts = [...places.keys()]
      .filter((at) => at >= 0)
      .sort((a, b) => a - b)
      .map((at) => partOf(value[at], places.get(at)!, depth + 1))
      .filter((part) => part !== undefined)
    return parts.length === 0 ? undefined : parts
  }
  if (!Predicate.isObject(value)) return undefined
  const parts = [...Map.groupBy(paths, (path) => path[depth]!)]
    .map(([key, inner]) => [key, partOf(valueIn(value, key), inner, depth + 1)] as const)
    .filter(([, part]) => part !== undefined)
  return parts.length === 0 ? undefined : Object.fromEntries(parts)
}

type Parent = Fields | ReadonlyArray<unknown>
const isParent = (value: unknown): value is Parent => Predicate.isObject(value) || Array.isArray(value)

/** A copy with another value of a member or an element; undefined where a list has no such element. */
const withValue = (parent: Parent, key: string, value: unknown): Parent | undefined => {
  if (Predicate.isObject(parent)) {
    if (value === undefined) {
      const { [key]: _, ...others } = parent
      return others
    }
    // An assignment would set the prototype; for other names it takes half as long.
    if (key === "__proto__") return { ...parent, [key]: value }
    const copy = { ...parent }
    copy[key] = value
    return copy
  }
  const list = parent as ReadonlyArray<unknown>
  const at = placeIn(list, key)
  if (at === undefined) return undefined
  return value === undefined ? list.toSpliced(at, 1) : list.with(at, value)
}

const changed = (parent: Parent, path: ReadonlyArray<string>, depth: number, value: unknown): Parent | undefined => {
  const key = path[depth]!
  if (depth === path.length - 1) return withValue(parent, key, value)
  const child = valueIn(parent, key) ?? undefined
  if (child === undefined && value === undefined) return parent
  const inner = child ?? {}
  const made = isParent(inner) ? changed(inner, path, depth + 1, value) : undefined
  return made === undefined ? undefined : withValue(parent, key, made)
}

/**
 * A copy with the value at the path (undefined removes it); undefined when a scalar is in the way, or a list has no such
 * element.
 */
export const withPath = <A extends Parent>(parent: A, path: ReadonlyArray<string>, value: unknown): A | undefined =>
  changed(parent, path, 0, value) as A | undefined

/**
 * Sets a value in an event that is already a copy. Objects and lists on the path are copied too. False when a scalar is
 * in the way, or a list has no such element.
 */
export const putPath = (event: Fields, path: ReadonlyArray<string>, value: unknown): boolean => {
  const key = path[0]!
  if (path.length === 1) {
    event[key] = value
    return true
  }
  const child = valueIn(event, key) ?? {}
  const copy = isParent(child) ? changed(child, path, 1, value) : undefined
  if (copy === undefined) return false
  event[key] = copy
  return true
}
