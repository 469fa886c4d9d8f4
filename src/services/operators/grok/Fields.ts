import { type ConversionFailure, coerce } from "../Coercion.ts"
import { type Fields, setPath, type Value } from "../FieldPath.ts"
import type { Capture, CaptureType } from "./Capture.ts"

interface Slot {
  readonly capture: number
  readonly type: CaptureType
}

/** One field of the output: its slots in group order. */
export interface Leaf {
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly slots: ReadonlyArray<Slot>
}

/** Captures grouped by field, in order of first appearance. */
export const leaves = (captures: ReadonlyArray<Capture>): ReadonlyArray<Leaf> => {
  const found = new Map<string, Leaf & { readonly slots: Array<Slot> }>()
  captures.forEach(({ name, path, type }, capture) => {
    const key = JSON.stringify(path)
    const leaf = found.get(key)
    if (leaf === undefined) found.set(key, { name, path, slots: [{ capture, type }] })
    else leaf.slots.push({ capture, type })
  })
  return [...found.values()]
}

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
  leaf: Leaf,
  match: ArrayLike<string | undefined>,
  numbers: ReadonlyArray<number>,
  keepEmpty: boolean,
  failures: Array<ConversionFailure>
): Value | undefined => {
  let first: Value | undefined
  let list: Array<Value> | undefined
  for (const { capture, type } of leaf.slots) {
    const text = match[numbers[capture]!]
    if (!keepEmpty && (text === undefined || text === "")) continue
    const value = slotValue(text, type, leaf.name, failures)
    // Kept nulls never displace or join real values.
    if (value === null && first !== undefined) continue
    if (first === undefined || first === null) first = value
    else if (list === undefined) list = [first, value]
    else list.push(value)
  }
  return list ?? first
}

export type Builder = (
  match: ArrayLike<string | undefined>,
  numbers: ReadonlyArray<number>,
  failures: Array<ConversionFailure>
) => Fields

/** Makes the function that turns a match into the (nested) fields of an event. */
export const builder = (all: ReadonlyArray<Leaf>, keepEmpty: boolean): Builder => {
  const flat = all.every(({ path }) => path.length === 1)
  return (match, numbers, failures) => {
    const fields: Fields = {}
    for (const leaf of all) {
      const value = leafValue(leaf, match, numbers, keepEmpty, failures)
      if (value === undefined) continue
      if (flat) fields[leaf.path[0]!] = value
      else if (!setPath(fields, leaf.path, value))
        failures.push({
          field: leaf.name,
          type: "object",
          value: String(value),
          detail: `field "${leaf.name}" clashes with another field that is not an object`
        })
    }
    return fields
  }
}
