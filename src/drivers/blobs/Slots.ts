/** Size of a slot in bytes: the unit of hashing and writing. */
export const slotBytes = 1024 * 1024

/**
 * Numbers of slots: the maximum of one writer, the guaranteed minimum, and the reserve that larger writers leave to
 * others.
 */
const most = 16
const least = 6
const shared = 64
/** Number of free slots that are kept for reuse. */
const maxKept = 16

const kept: Array<SharedArrayBuffer> = []
let used = 0

/**
 * Takes a slot: memory for bytes on their way to the disk, shared with the hashing thread. Slots are reused, because
 * garbage of this size would stay for long and cause expensive collections. Undefined when the caller already has its
 * share (`mine`).
 */
export const takeSlot = (mine: number): SharedArrayBuffer | undefined => {
  if (mine >= most || (mine >= least && used >= shared)) return undefined
  used++
  return kept.pop() ?? new SharedArrayBuffer(slotBytes)
}

/** Returns a slot that is no longer read by the thread or the kernel. */
export const giveSlot = (slot: SharedArrayBuffer): void => {
  used--
  if (kept.length < maxKept) kept.push(slot)
}

/** Drops slots that may still be read; they are not reused. */
export const dropSlots = (count: number): void => {
  used -= count
}
