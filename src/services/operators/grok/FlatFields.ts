import type { Fields } from "../FieldPath.ts"
import type { Leaf } from "./Leaf.ts"

export type FlatBuilder = (match: ArrayLike<string | undefined>, numbers: ReadonlyArray<number>) => Fields

/** An object with the fields that a match had, ready to be copied: copying is cheaper than adding key by key. */
interface Shape {
  readonly template: Fields
  readonly present: ReadonlyArray<boolean>
}

const maxShapes = 64

/**
 * The quick way for text fields that are neither nested nor repeated. Lines of one log mostly have the same fields, so
 * the object of the last line is copied and filled; when the fields differ, another shape takes its place.
 */
export const flatBuilder = (leaves: ReadonlyArray<Leaf>): FlatBuilder | undefined => {
  // Without repeated fields, the n-th field is the n-th capture.
  const simple = leaves.every(
    ({ path, slots }) => path.length === 1 && slots.length === 1 && slots[0]!.type === "string"
  )
  if (!simple || leaves.length > 30) return undefined
  const count = leaves.length
  const keys = leaves.map(({ path }) => path[0]!)
  const shapes = new Map<number, Shape>()
  let shape: Shape = { template: {}, present: keys.map(() => false) }

  const reshape: FlatBuilder = (match, numbers) => {
    const fields: Fields = {}
    let mask = 0
    for (let index = 0; index < count; index++) {
      const text = match[numbers[index]!]
      if (text === undefined || text.length === 0) continue
      fields[keys[index]!] = text
      mask |= 1 << index
    }
    const known = shapes.get(mask)
    if (known !== undefined) shape = known
    else if (shapes.size < maxShapes) {
      const empty = Object.keys(fields).map((key) => [key, ""])
      shape = { template: Object.fromEntries(empty), present: keys.map((_, index) => (mask & (1 << index)) !== 0) }
      shapes.set(mask, shape)
    }
    return fields
  }

  return (match, numbers) => {
    const { template, present } = shape
    const fields: Fields = { ...template }
    for (let index = 0; index < count; index++) {
      const text = match[numbers[index]!]
      const kept = text !== undefined && text.length > 0
      if (kept !== present[index]) return reshape(match, numbers)
      if (kept) fields[keys[index]!] = text
    }
    return fields
  }
}
