import type { CaptureType } from "../../Coercion.ts"
import type { Capture } from "../syntax/Capture.ts"

interface Slot {
  readonly capture: number
  readonly type: CaptureType
}

/** An output field with its slots in group order. */
export interface Leaf {
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly slots: ReadonlyArray<Slot>
}

export type Match = ArrayLike<string | undefined>

/** The captures grouped by field, in order of first appearance. */
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
