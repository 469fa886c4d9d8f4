/** Bytes of a slot: what is hashed and written at once. */
export const slotBytes = 1024 * 1024

/** Slots that one writer may have, that it may always have, and that others leave for more than that. */
const most = 16
const least = 6
const shared = 64
/** Slots that are kept for the next writer. */
const maxKept = 16

const kept: Array<SharedArrayBuffer> = []
let used = 0

/**
 * Memory for bytes on their way to the disk, which the hashing thread sees as well. It is used again and again: garbage
 * of this size would stay for long, and would have the whole heap marked to be found. Nothing for one who has enough
 * already (`mine`).
 */
export const takeSlot = (mine: number): SharedArrayBuffer | undefined => {
  if (mine >= most || (mine >= least && used >= shared)) return undefined
  used++
  return kept.pop() ?? new SharedArrayBuffer(slotBytes)
}

/** Gives a slot back that nobody reads any more, neither the thread nor the kernel. */
export const giveSlot = (slot: SharedArrayBuffer): void => {
  used--
  if (kept.length < maxKept) kept.push(slot)
}

/** Forgets slots that somebody may still read: they are not used again. */
export const dropSlots = (count: number): void => {
  used -= count
}
