import { type ConversionFailure, coerce } from "../Coercion.ts"
import type { Fields, Value } from "../FieldPath.ts"
import type { CaptureType } from "./Capture.ts"
import { type FlatBuilder, flatBuilder } from "./FlatFields.ts"
import type { Leaf, Match } from "./Leaf.ts"

const slotValue = (
  text: string | undefined,
  type: CaptureType,
  name: string,
  failures: Array<ConversionFailure>
): Value => {
  if (text === undefined) return null
  if (type === "string") return text
  const value = coerce(text, type)
  if (value !== undefined) return value
  failures.push({ field: name, type, value: text, detail: `"${text}" is not of type ${type}` })
  return text
}

/** Value of a field: one value stays a scalar, several become an array; undefined when there is nothing to keep. */
export const leafValue = (
  { slots, name }: Leaf,
  match: Match,
  numbers: ReadonlyArray<number>,
  keepEmpty: boolean,
  failures: Array<ConversionFailure>
): Value | undefined => {
  let first: Value | undefined
  let list: Array<Value> | undefined
  for (let index = 0; index < slots.length; index++) {
    const { capture, type } = slots[index]!
    const text = match[numbers[capture]!]
    if (!keepEmpty && (text === undefined || text.length === 0)) continue
    const value = slotValue(text, type, name, failures)
    // Kept nulls never displace or join real values.
    if (value === null && first !== undefined) continue
    if (first === undefined || first === null) first = value
    else if (list === undefined) list = [first, value]
    else list.push(value)
  }
  return list ?? first
}

/** A key of the output object: a field, an object of more keys, or (when fields clash) both. */
interface Branch {
  readonly key: string
  leaf?: Leaf
  readonly children: Array<Branch>
}

const grow = (branches: Array<Branch>, leaf: Leaf, depth: number): void => {
  const key = leaf.path[depth]!
  let branch = branches.find((known) => known.key === key)
  if (branch === undefined) {
    branch = { key, children: [] }
    branches.push(branch)
  }
  if (depth === leaf.path.length - 1) branch.leaf = leaf
  else grow(branch.children, leaf, depth + 1)
}

export type Builder = (match: Match, numbers: ReadonlyArray<number>, failures: Array<ConversionFailure>) => Fields

/** Makes the function that turns a match into the (nested) fields of an event. */
export const builder = (all: ReadonlyArray<Leaf>, keepEmpty: boolean): Builder => {
  const flat: FlatBuilder | undefined = keepEmpty ? undefined : flatBuilder(all)
  if (flat !== undefined) return flat
  const root: Array<Branch> = []
  for (const leaf of all) grow(root, leaf, 0)

  const build = (
    branches: ReadonlyArray<Branch>,
    match: Match,
    numbers: ReadonlyArray<number>,
    failures: Array<ConversionFailure>
  ): Fields | undefined => {
    let fields: Fields | undefined
    for (let index = 0; index < branches.length; index++) {
      const { key, leaf, children } = branches[index]!
      let value = leaf === undefined ? undefined : leafValue(leaf, match, numbers, keepEmpty, failures)
      const object = children.length === 0 ? undefined : build(children, match, numbers, failures)
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
  return (match, numbers, failures) => build(root, match, numbers, failures) ?? {}
}
