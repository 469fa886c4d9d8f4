import type { Block } from "../../Capabilities.ts"
import { maxLineBytes } from "../../formats/WholeLines.ts"
import { blockBytes, lineEnd } from "./Blocks.ts"

/** A range of an open file; stands for the lines that end in it. */
export interface Range {
  readonly file: number
  /** The first byte and the one after the last; at most {@link blockBytes} apart. */
  readonly from: number
  readonly to: number
  /** Whether the range ends at the end of the file. Then an unfinished last line belongs to it. */
  readonly isEnd: boolean
}

/** Reads from a file descriptor, as `OpenFile.read` does. */
export type ReadAt = (file: number, into: Uint8Array, at: number) => number | Promise<number>

/** Number of bytes before a range that are read with it, to find the beginning of its first line. */
const nearBytes = 4096
/** Size of the pieces that are searched beyond that, in bytes. */
const farBytes = 65_536

/** Produces the blocks of `Blocks.blocks` from single ranges, in any order. */
export class Ranges {
  readonly #readAt: ReadAt
  readonly #memory = new Uint8Array(nearBytes + blockBytes)

  constructor(readAt: ReadAt) {
    this.#readAt = readAt
  }

  /** The blocks that end in the range, at most two. Their memory is reused by the next call. */
  async blocks(range: Range): Promise<ReadonlyArray<Block>> {
    const { file, from, to } = range
    const start = Math.max(0, from - nearBytes)
    const bytes = await this.#read(file, this.#memory.subarray(0, to - start), start)
    const own = from - start
    const end = bytes.lastIndexOf(lineEnd) + 1
    const found: Array<Block> = []
    if (end > own) {
      const begin = own === 0 ? 0 : bytes.lastIndexOf(lineEnd, own - 1) + 1
      const isWhole = begin > 0 || start === 0
      if (isWhole) found.push({ pieces: [bytes.subarray(begin, end)], isFirst: start + begin === 0 })
      else found.push(await this.#long(range, start, bytes.subarray(0, end)))
    }
    // If the file was truncated meanwhile, the rest of a line may have been returned before.
    if (!range.isEnd || bytes.length < to - start) return found
    if (end > 0 || start === 0) {
      if (end < bytes.length) found.push({ pieces: [bytes.subarray(end)], isFirst: start + end === 0 })
      return found
    }
    return [...found, await this.#long(range, start, bytes)]
  }

  /** A block whose first line begins before `bytes`, which start at the offset `start`. */
  async #long({ file, from }: Range, start: number, bytes: Uint8Array): Promise<Block> {
    const begin = await this.#lineStart(file, start)
    const isFirst = begin === 0
    if (from - begin < maxLineBytes) {
      const head = await this.#read(file, new Uint8Array(start - begin), begin)
      return { pieces: [head, bytes], isFirst }
    }
    // The line is too long and will be rejected; its beginning identifies it.
    const head = await this.#read(file, new Uint8Array(maxLineBytes), begin)
    const end = bytes.indexOf(lineEnd)
    return { pieces: end === -1 ? [head] : [head, bytes.subarray(end)], isFirst }
  }

  /** The offset at which the line around the byte `at` begins. */
  async #lineStart(file: number, at: number): Promise<number> {
    const memory = new Uint8Array(farBytes)
    for (let to = at; to > 0; ) {
      const from = Math.max(0, to - farBytes)
      const bytes = await this.#read(file, memory.subarray(0, to - from), from)
      const end = bytes.lastIndexOf(lineEnd)
      if (end !== -1) return from + end + 1
      to = from
    }
    return 0
  }

  async #read(file: number, into: Uint8Array, at: number): Promise<Uint8Array> {
    return into.subarray(0, await this.#readAt(file, into, at))
  }
}
