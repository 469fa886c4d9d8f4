import { type CaptureType, type ConversionFailure, coerce } from "../../Coercion.ts"
import type { Fields } from "../../FieldPath.ts"
import { type Branch, branchesOf } from "./Branches.ts"
import type { Leaf, Match } from "./Leaf.ts"

const slotValue = (
  text: string | undefined,
  type: CaptureType,
  name: string,
  failures: Array<ConversionFailure>
): string | number | boolean | null => {
  if (text === undefined) return null
  if (type === "string") return text
  const value = coerce(text, type)
  if (value !== undefined) return value
  failures.push({ field: name, type, value: text, detail: `"${text}" is not of type ${type}` })
  return text
}

/**
 * The value of a field: a single value is a scalar, several become an array; undefined when there is nothing to keep.
 */
export const leafValue = (
  { slots, name }: Leaf,
  match: Match,
  numbers: ReadonlyArray<number>,
  keepEmpty: boolean,
  failures: Array<ConversionFailure>
): unknown => {
  let first: unknown
  let list: Array<unknown> | undefined
  for (let index = 0; index < slots.length; index++) {
    const { capture, type } = slots[index]!
    const text = match[numbers[capture]!]
    if (!keepEmpty && (text === undefined || text.length === 0)) continue
    const value = slotValue(text, type, name, failures)
    // Kept nulls never replace or join real values.
    if (value === null && first !== undefined) continue
    if (first === undefined || first === null) first = value
    else if (list === undefined) list = [first, value]
    else list.push(value)
  }
  return list ?? first
}

/** Turns a match into the nested fields of an event. Failed conversions are added to `failures`. */
export type Builder = (match: Match, failures: Array<ConversionFailure>) => Fields

/**
 * The builder for any fields, which walks the tree of keys for every match. `numbers` are the group numbers of the
 * captures.
 */
export const walkingBuilder = (
  leaves: ReadonlyArray<Leaf>,
  keepEmpty: boolean,
  numbers: ReadonlyArray<number>
): Builder => {
  const build = (
    branches: ReadonlyArray<Branch>,
    match: Match,
    failures: Array<ConversionFailure>
  ): Fields | undefined => {
    let fields: Fields | undefined
    for (let index = 0; index < branches.length; index++) {
      const { key, leaf, children } = branches[index]!
      let value = leaf === undefined ? undefined : leafValue(leaf, match, numbers, keepEmpty, failures)
      const object = children.length === 0 ? undefined : build(children, match, failures)
      if (value === undefined) value = object
      else if (object !== undefined) {
        const detail = `field "${leaf!.name}" clashes with fields inside it`
        failures.push({ field: leaf!.name, type: "object", value: String(value), detail })
      }
      if (value === undefined) continue
      if (fields === undefined) fields = {}
      fields[key] = value
    }
    return fields
  }
  const root = branchesOf(leaves)
  return (match, failures) => build(root, match, failures) ?? {}
}
