import type { FileHandle } from "node:fs/promises"
import { writeFailure } from "../../drivers/Failure.ts"

/** Bytes that may wait for the disk before `write` waits: batches are produced while earlier ones are written. */
const maxWaiting = 4 * 1024 * 1024

/** Bytes after which a sync starts in the background, so that little is left for the last one. */
const syncEvery = 32 * 1024 * 1024

/**
 * Waiting bytes are copied into blocks that are reused, because allocating memory for every batch costs more than the
 * copy.
 */
const blockBytes = 1024 * 1024
const maxFree = maxWaiting / blockBytes

/** The most UTF-8 bytes of one character. */
const characterBytes = 4

const encoder = new TextEncoder()

interface Block {
  readonly bytes: Uint8Array
  used: number
  /** Of bytes on loan: gives their memory back. */
  readonly free?: () => void
}

/** Appends to an open file in the background and in order. A failure is thrown by the calls that follow it. */
export class Appender {
  readonly #handle: FileHandle
  /** The file's name in an error message. */
  readonly #what: string
  #waiting: Array<Block> = []
  #waitingBytes = 0
  readonly #free: Array<Uint8Array> = []
  #unsynced = 0
  #writing: Promise<void> | undefined
  #syncing: Promise<void> | undefined
  #failure: unknown
  #room: PromiseWithResolvers<void> | undefined

  constructor(handle: FileHandle, what: string) {
    this.#handle = handle
    this.#what = what
  }

  /** Copies the chunk before it returns. */
  write(chunk: Uint8Array | string): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure
    if (typeof chunk === "string") this.#putText(chunk)
    else this.#putBytes(chunk)
    return this.#start()
  }

  /** Writes the bytes without a copy, then calls `free`, also after a failure. */
  lend(bytes: Uint8Array, free: () => void): Promise<void> | undefined {
    if (this.#failure !== undefined) {
      free()
      throw this.#failure
    }
    this.#waiting.push({ bytes, used: bytes.length, free })
    this.#waitingBytes += bytes.length
    return this.#start()
  }

  #start(): Promise<void> | undefined {
    if (this.#waiting.length > 0) this.#writing ??= this.#drain()
    if (this.#waitingBytes <= maxWaiting) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  /** Resolves when all bytes are in the file and durable. */
  async sync(): Promise<void> {
    await this.#writing
    await this.#syncing
    if (this.#failure !== undefined) throw this.#failure
    await this.#handle.sync().catch((error) => {
      throw writeFailure(error, this.#what)
    })
  }

  /** Resolves when no call uses the file any more, so that it may be closed. */
  async idle(): Promise<void> {
    await this.#writing
    await this.#syncing
  }

  #putText(text: string): void {
    for (let rest = text; rest.length > 0; ) {
      const block = this.#blockWith(characterBytes)
      const { read, written } = encoder.encodeInto(rest, block.bytes.subarray(block.used))
      this.#grow(block, written)
      rest = rest.slice(read)
    }
  }

  #putBytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#blockWith(1)
      const some = bytes.subarray(at, at + blockBytes - block.used)
      block.bytes.set(some, block.used)
      this.#grow(block, some.length)
      at += some.length
    }
  }

  #grow(block: Block, bytes: number): void {
    block.used += bytes
    this.#waitingBytes += bytes
  }

  /** The last block, or a new one when less than `room` bytes are free. */
  #blockWith(room: number): Block {
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.free === undefined && last.used + room <= blockBytes) return last
    const block = { bytes: this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes), used: 0 }
    this.#waiting.push(block)
    return block
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const blocks = this.#waiting
      const bytes = blocks.reduce((sum, { used }) => sum + used, 0)
      this.#waiting = []
      try {
        if (this.#failure === undefined) await this.#writeAll(blocks.map(({ bytes, used }) => bytes.subarray(0, used)))
      } catch (error) {
        this.#fail(error)
      }
      for (const { bytes, free } of blocks) {
        if (free !== undefined) free()
        else if (this.#free.length < maxFree) this.#free.push(bytes)
      }
      this.#waitingBytes -= bytes
      if (this.#waitingBytes <= maxWaiting) this.#settleRoom()
      this.#startSync(bytes)
    }
    // Set without an await after the queue was found empty: a later `write` has to start a new loop.
    this.#writing = undefined
  }

  async #writeAll(buffers: ReadonlyArray<Uint8Array>): Promise<void> {
    // Node may write only a part of a long list; the rest is written block by block.
    let { bytesWritten: skip } = await this.#handle.writev(buffers)
    for (const buffer of buffers) {
      for (let at = Math.min(skip, buffer.length); at < buffer.length; ) {
        at += (await this.#handle.write(buffer, at)).bytesWritten
      }
      skip = Math.max(0, skip - buffer.length)
    }
  }

  #startSync(bytes: number): void {
    this.#unsynced += bytes
    if (this.#unsynced < syncEvery || this.#syncing !== undefined) return
    this.#unsynced = 0
    this.#syncing = this.#handle.datasync().then(
      () => {
        this.#syncing = undefined
      },
      (error) => this.#fail(error)
    )
  }

  #fail(error: unknown): void {
    this.#failure ??= writeFailure(error, this.#what)
    this.#settleRoom()
  }

  #settleRoom(): void {
    if (this.#failure === undefined) this.#room?.resolve()
    else this.#room?.reject(this.#failure)
    this.#room = undefined
  }
}
