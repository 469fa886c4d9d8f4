import type { FileHandle } from "node:fs/promises"
import type { RecordCounts } from "../../../nodes/Position.ts"
import { beginsWith, grownHead, type Head, type Identity } from "./Identity.ts"

const chunkBytes = 256 * 1024
/** Longer lines are passed on in pieces: the reader rejects them, and whole they might not fit into memory. */
const longestLine = 4 * 1024 * 1024 + chunkBytes

/** Bytes of the file, and the offset of their end. */
export interface Block {
  readonly bytes: Buffer
  readonly end: number
  /** No bytes of this content follow: the file starts anew or is abandoned. */
  readonly ended: boolean
}

/** How far a file was read in an earlier attempt. */
export interface Reached {
  readonly offset: number
  /** How often the file has started anew. */
  readonly turn: number
  readonly counts: RecordCounts
}

const nothing = { records: 0, failures: 0 }

/** An open file that grows. `path` is the name under which it was found. */
export class Followed {
  readonly number: number
  readonly device: string
  readonly inode: string
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
  readonly #handle: FileHandle
  /** Size and modification time when the file had no further line. */
  #exhausted = ""
  readonly #born: string

  constructor(number: number, path: string, handle: FileHandle, identity: Identity, reached: Reached) {
    this.number = number
    this.path = path
    this.#handle = handle
    this.device = identity.device
    this.inode = identity.inode
    this.head = identity.head
    this.#born = identity.born
    this.offset = reached.offset
    this.taken = reached
    this.counts = { ...reached.counts }
  }

  /** The name of what is read now. A later attempt gives the same one: it does not depend on the order of files. */
  get content(): string {
    return `${this.inode}.${this.#born}.${this.taken.turn}`
  }

  /** The receiver has processed a block. */
  took({ end, ended }: Block): void {
    if (ended) this.counts = { ...nothing }
    this.taken = { offset: end, turn: this.taken.turn + (ended ? 1 : 0), counts: { ...this.counts } }
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
      return { bytes: Buffer.alloc(0), end: 0, ended: true }
    }
    this.head = await grownHead(this.#handle, this.head, size)
    for (let length = chunkBytes; ; length *= 2) {
      const wanted = Math.min(length, size - this.offset)
      const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(wanted), 0, wanted, this.offset)
      const end = buffer.lastIndexOf(0x0a, bytesRead - 1)
      if (bytesRead > 0 && end !== -1 && end < bytesRead) return this.#take(buffer.subarray(0, end + 1), false)
      if (length >= longestLine) return this.#take(buffer.subarray(0, bytesRead), false)
      if (bytesRead < length) {
        this.#exhausted = state
        return undefined
      }
    }
  }

  #take(bytes: Buffer, ended: boolean): Block {
    this.offset += bytes.length
    return { bytes, end: this.offset, ended }
  }

  /** The bytes after the last line end, for a file that will not grow any more. */
  async rest(): Promise<Block> {
    const { size } = await this.#handle.stat()
    const length = Math.max(0, Math.min(size - this.offset, longestLine))
    const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(length), 0, length, this.offset)
    return this.#take(buffer.subarray(0, bytesRead), true)
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => {})
  }
}
