import { blockSize } from "./BlockSums.ts"

/** Number of free blocks that are kept for use. */
const maxKept = 16
/** Milliseconds after which they are dropped when none was given back. */
const keptFor = 10_000

const kept: Array<Buffer> = []
let timer: NodeJS.Timeout | undefined

/**
 * Memory for a chunk of up to a block. Blocks are used again: fresh memory of this size costs a page fault for each
 * 4 KiB, and collections of garbage on threads beside, which together took more than sending the bytes.
 */
export const takeBlock = (length: number): Buffer => {
  // Small blobs are read at once; for them a block would be a waste.
  if (length <= blockSize / 2) return Buffer.allocUnsafeSlow(length)
  return (kept.pop() ?? Buffer.allocUnsafeSlow(blockSize)).subarray(0, length)
}

/** Gives the memory of a chunk back, which nobody may read or write any more, or a part of it. */
export const giveBlock = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength === 0 || !(buffer instanceof ArrayBuffer) || buffer.byteLength !== blockSize) return
  if (kept.length < maxKept) kept.push(Buffer.from(buffer))
  timer ??= setTimeout(() => {
    kept.length = 0
  }, keptFor).unref()
  timer.refresh()
}
