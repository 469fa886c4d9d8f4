import type { FileHandle } from "node:fs/promises"
import { beginsWith, grownHead, type Head, type Identity } from "./Identity.ts"

const chunkBytes = 256 * 1024
/** A line longer than this is handed on in pieces: the reader gives it up, and it would not fit into memory. */
const longestLine = 4 * 1024 * 1024 + chunkBytes

/** Bytes of the file, and where they end in it. */
export interface Block {
  readonly bytes: Buffer
  readonly end: number
  /** The bytes are the last of their kind: the file begins anew, or is given up. */
  readonly ended: boolean
}

/** An open file that grows. `path` is the name it was found under. */
export class Followed {
  readonly number: number
  readonly device: string
  readonly inode: string
  path: string
  head: Head
  /** The end of what was handed out, and of what its receiver has taken. */
  offset: number
  taken: number
  /** The size that was seen last. */
  size = 0
  /** When the name was seen to belong to another file, or to none; the writer may still hold this one open. */
  lostAt: number | undefined
  readonly #handle: FileHandle
  /** The size and time of the file when it had nothing more to read. */
  #exhausted = ""

  constructor(number: number, path: string, handle: FileHandle, identity: Identity, offset: number) {
    this.number = number
    this.path = path
    this.#handle = handle
    this.device = identity.device
    this.inode = identity.inode
    this.head = identity.head
    this.offset = offset
    this.taken = offset
  }

  /** Whether the file is a shorter or another one than what was read of it: emptied, and perhaps filled again. */
  async #restarted(size: number): Promise<boolean> {
    return size < this.offset || !(await beginsWith(this.#handle, this.head))
  }

  /** Whole lines that were not read yet; undefined when there are none now. */
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

  /** What stands behind the last line end, when nothing more will come. */
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
