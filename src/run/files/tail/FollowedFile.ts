import type { FileHandle } from "node:fs/promises"
import { type Encoding, lastLineEnd, withOrder } from "../../../languages/Encoding.ts"
import type { LinePlace, RecordCounts } from "../../../nodes/ports/Position.ts"
import { beginsWith, grownHead, type Head, type Identity } from "./Identity.ts"

const chunkBytes = 256 * 1024
/** Longer lines are passed on in pieces: the reader rejects them, and whole they might not fit into memory. */
const longestLine = 4 * 1024 * 1024 + chunkBytes

/** Bytes of the file, and the offsets of their beginning and of their end. */
export interface Block {
  readonly bytes: Uint8Array
  readonly from: number
  readonly end: number
  /** No bytes of this content follow: the file starts anew or is abandoned. */
  readonly ended: boolean
}

/** How far a file was read in an earlier attempt. */
export interface Reached {
  readonly offset: number
  /** The number of the line at the offset, from 1; undefined in positions of versions that did not count them. */
  readonly line: number | undefined
  /** How often the file has started anew. */
  readonly turn: number
  readonly counts: RecordCounts
}

const nothing = { records: 0, failures: 0 }

/** An open file that grows. `path` is the name under which it was found. */
export class FollowedFile {
  readonly number: number
  readonly device: string
  readonly inode: string
  readonly born: string
  path: string
  head: Head
  /** The end of the bytes that were passed on. */
  offset: number
  /** What the receiver has processed. */
  taken: Reached
  /** What the receiver counts. */
  counts: RecordCounts
  /** The last known size. */
  size = 0
  /** When the name was found to belong to another file or to none. The writer may still have this file open. */
  lostAt: number | undefined
  /** The encoding, with the byte order once the file has one. */
  encoding: Encoding
  /** What the receiver has reached. */
  #reached: LinePlace | undefined
  /** When bytes were passed on, or were due, for the last time. */
  #passedAt = 0
  readonly #handle: FileHandle
  /** Size and modification time when the file had no further line. */
  #exhausted = ""
  readonly #given: Encoding

  constructor(
    number: number,
    path: string,
    handle: FileHandle,
    identity: Identity,
    reached: Reached,
    encoding: Encoding
  ) {
    this.number = number
    this.path = path
    this.#given = encoding
    this.encoding = encoding
    this.#handle = handle
    this.device = identity.device
    this.inode = identity.inode
    this.head = identity.head
    this.born = identity.born
    this.offset = reached.offset
    this.taken = reached
    this.counts = { ...reached.counts }
  }

  /** The name of what is read now. A later attempt gives the same one: it does not depend on the order of files. */
  get content(): string {
    return `${this.inode}.${this.born}.${this.taken.turn}`
  }

  /** Where the receiver has to go on, should this attempt end. */
  readonly reach = (place: LinePlace): void => {
    this.#reached = place
  }

  /** The receiver has processed a block. */
  took({ end, ended }: Block): void {
    if (ended) this.counts = { ...nothing }
    const { offset, line } = ended ? { offset: end, line: 1 } : (this.#reached ?? { offset: end, line: undefined })
    this.#reached = undefined
    this.taken = { offset, line, turn: this.taken.turn + (ended ? 1 : 0), counts: { ...this.counts } }
  }

  /** Milliseconds until the bytes are due that a later attempt would read again; undefined when there are none. */
  dueIn(seconds: number): number | undefined {
    if (this.taken.offset >= this.offset) return undefined
    return Math.max(0, this.#passedAt + seconds * 1000 - performance.now())
  }

  /** An empty block that tells that the waiting bytes are due. */
  due(): Block {
    return this.#take(new Uint8Array(), false)
  }

  /** Whether the file was truncated or rewritten: it is shorter than the offset, or begins differently. */
  async #restarted(size: number): Promise<boolean> {
    return size < this.offset || !(await beginsWith(this.#handle, this.head))
  }

  /** The next whole lines; undefined when there are none yet. */
  async next(): Promise<Block | undefined> {
    const { size, mtimeMs } = await this.#handle.stat()
    this.size = size
    const state = `${size} ${mtimeMs}`
    if (state === this.#exhausted) return undefined
    if (await this.#restarted(size)) {
      this.offset = 0
      this.head = await grownHead(this.#handle, { length: 0, hash: "" }, size)
      this.encoding = this.#given
      return { bytes: new Uint8Array(), from: 0, end: 0, ended: true }
    }
    this.head = await grownHead(this.#handle, this.head, size)
    for (let length = chunkBytes; ; length *= 2) {
      const wanted = Math.min(length, size - this.offset)
      const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(wanted), 0, wanted, this.offset)
      const bytes = buffer.subarray(0, bytesRead)
      await this.#order(bytes)
      const end = lastLineEnd(bytes, this.encoding)
      if (end > 0) return this.#take(bytes.subarray(0, end), false)
      if (length >= longestLine) return this.#take(bytes.subarray(0, bytesRead - (bytesRead % 2)), false)
      if (bytesRead < length) {
        this.#exhausted = state
        return undefined
      }
    }
  }

  /** Finds the byte order; `bytes` begin at the offset. */
  async #order(bytes: Uint8Array): Promise<void> {
    if (this.encoding !== "utf-16") return
    const head = this.offset === 0 ? bytes : (await this.#handle.read(new Uint8Array(2), 0, 2, 0)).buffer
    if (head.length >= 2) this.encoding = withOrder(this.encoding, head)
  }

  #take(bytes: Uint8Array, ended: boolean): Block {
    const from = this.offset
    this.offset += bytes.length
    this.#passedAt = performance.now()
    return { bytes, from, end: this.offset, ended }
  }

  /** The bytes after the last line end, for a file that will not grow any more. */
  async rest(): Promise<Block> {
    const { size } = await this.#handle.stat()
    const length = Math.max(0, Math.min(size - this.offset, longestLine))
    const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(length), 0, length, this.offset)
    const bytes = buffer.subarray(0, bytesRead)
    await this.#order(bytes)
    return this.#take(bytes, true)
  }

  /** Whether the file has a name anywhere, so that it can return. */
  async hasName(): Promise<boolean> {
    const found = await this.#handle.stat().catch(() => undefined)
    return found !== undefined && found.nlink > 0
  }

  /** Where to resume if it returns, once the receiver has processed its rest. */
  left({ end }: Block): Reached {
    const { offset, line, turn } = this.taken
    return { offset: end, line: offset === end ? line : undefined, turn, counts: { ...this.counts } }
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => {})
  }
}
