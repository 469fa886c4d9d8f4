/** Bytes of a slot: what is hashed and written at once. */
export const slotBytes = 1024 * 1024
/** Slots that are kept for the next writer. */
const maxKept = 16

const kept: Array<SharedArrayBuffer> = []

/**
 * Memory for bytes on their way to the disk, which the hashing thread sees as well. It is used again and again: garbage
 * of this size would stay for long, and would have the whole heap marked to be found.
 */
export const takeSlot = (): SharedArrayBuffer => kept.pop() ?? new SharedArrayBuffer(slotBytes)

/** Gives a slot back that nobody reads any more, neither the thread nor the kernel. */
export const giveSlot = (slot: SharedArrayBuffer): void => {
  if (kept.length < maxKept) kept.push(slot)
}
