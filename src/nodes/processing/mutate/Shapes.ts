import * as Predicate from "effect/Predicate"
import { type Fields, refusedSegment } from "../../../languages/FieldPath.ts"
import { isDeeperThan } from "../../../languages/json/JsonValue.ts"
import { merge } from "../ParsingNode.ts"
import { setMember } from "./Place.ts"

/** Maximum nesting of a record, as inputs take it. */
const maxDepth = 200
/** Maximum number of parts of a name that is expanded. */
const maxParts = 100

const tooDeep = `the record is nested deeper than ${maxDepth} levels`

/** Returned in place of a value: why there is none. */
export class Refusal {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** The object with the members of inner objects, whose names are joined. Empty objects and lists stay. */
export const flattened = (object: Fields, separator: string): Fields | Refusal => {
  if (isDeeperThan(object, maxDepth)) return new Refusal(tooDeep)
  const flat: Fields = {}
  const names = new Set<string>()
  let twice: string | undefined
  const add = (fields: Fields, prefix: string) => {
    for (const key of Object.keys(fields)) {
      const value = fields[key]
      if (value === undefined) continue
      const name = `${prefix}${key}`
      if (Predicate.isObject(value) && Object.keys(value).length > 0) {
        add(value, `${name}${separator}`)
        continue
      }
      if (names.has(name)) twice ??= name
      names.add(name)
      setMember(flat, name, value)
    }
  }
  add(object, "")
  if (twice === undefined) return flat
  return new Refusal(`there are two fields ${twice.slice(0, 100)} then: choose another separator`)
}

/** The object whose members with a separator in their names are members of inner objects. */
export const expanded = (object: Fields, separator: string): Fields | Refusal => {
  const made: Fields = {}
  /** Objects that belong to the result alone; others are copied before they are changed. */
  const own = new Set<Fields>([made])
  const innerOf = (parent: Fields, key: string): Fields | undefined => {
    const value = Object.hasOwn(parent, key) ? parent[key] : undefined
    if (value !== undefined && !Predicate.isObject(value)) return undefined
    if (value !== undefined && own.has(value)) return value
    const inner = value === undefined ? {} : { ...value }
    own.add(inner)
    parent[key] = inner
    return inner
  }
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (value === undefined) continue
    const parts = name.split(separator)
    // A name that begins or ends with the separator, and one of a prototype, is a name as any other.
    const isPlain = parts.length < 2 || parts.includes("") || refusedSegment(parts) !== undefined
    if (!isPlain && parts.length > maxParts) return new Refusal(`a name has more than ${maxParts} parts`)
    const path = isPlain ? [name] : parts
    let parent: Fields | undefined = made
    for (const key of path.slice(0, -1)) parent = parent && innerOf(parent, key)
    const last = path[path.length - 1]!
    const present = parent !== undefined && Object.hasOwn(parent, last) ? parent[last] : undefined
    if (
      parent === undefined ||
      (present !== undefined && !(Predicate.isObject(present) && Predicate.isObject(value)))
    ) {
      return new Refusal(`${name.slice(0, 100)} cannot be expanded, because a value is in its way`)
    }
    setMember(parent, last, Predicate.isObject(present) && Predicate.isObject(value) ? merge(present, value) : value)
  }
  return isDeeperThan(made, maxDepth) ? new Refusal(tooDeep) : made
}

/** The values merged: the members of objects, or the items of lists, where any other value is a list of one. */
export const mergedValues = (
  values: ReadonlyArray<{ readonly name: string; readonly value: unknown }>,
  into: string
) => {
  const [first, ...others] = values
  if (first === undefined) return undefined
  if (!Predicate.isObject(first.value)) {
    const other = others.find(({ value }) => Predicate.isObject(value))
    if (other !== undefined) return unlike(other.name, into)
    return values.flatMap(({ value }): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value]))
  }
  let merged: Fields = first.value
  if (isDeeperThan(merged, maxDepth)) return new Refusal(tooDeep)
  for (const { name, value } of others) {
    if (!Predicate.isObject(value)) return unlike(name, into)
    if (isDeeperThan(value, maxDepth)) return new Refusal(tooDeep)
    merged = merge(merged, value)
  }
  return merged
}

const unlike = (name: string, into: string) =>
  new Refusal(`the field ${name} cannot be merged into ${into}: only one of them is an object`)
