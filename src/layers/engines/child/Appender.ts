import type { FileHandle } from "node:fs/promises"
import { writeFailure } from "./Failure.ts"

/** Bytes that may wait for the disk before the writer has to: the next batches are made while it works. */
const maxWaiting = 4 * 1024 * 1024

/** Bytes after which a sync begins in the background, so that the last one finds little to do. */
const syncEvery = 32 * 1024 * 1024

/** Appends to an open file in the background and in order. A failure comes out of the calls that follow it. */
export class Appender {
  readonly #handle: FileHandle
  /** The file's name in an error message. */
  readonly #what: string
  #waiting: Array<Uint8Array> = []
  #waitingBytes = 0
  #unsynced = 0
  #writing: Promise<void> | undefined
  #syncing: Promise<void> | undefined
  #failure: unknown
  #room: PromiseWithResolvers<void> | undefined

  constructor(handle: FileHandle, what: string) {
    this.#handle = handle
    this.#what = what
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#writing ??= this.#drain()
    if (this.#waitingBytes <= maxWaiting) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  /** Resolves when everything is in the file and durable. */
  async sync(): Promise<void> {
    await this.#writing
    await this.#syncing
    if (this.#failure !== undefined) throw this.#failure
    await this.#handle.sync().catch((error) => {
      throw writeFailure(error, this.#what)
    })
  }

  /** Resolves when the file is not in use any more, and may be closed. */
  async idle(): Promise<void> {
    await this.#writing
    await this.#syncing
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const buffers = this.#waiting
      const bytes = this.#waitingBytes
      this.#waiting = []
      try {
        if (this.#failure === undefined) await this.#writeAll(buffers)
      } catch (error) {
        this.#fail(error)
      }
      this.#waitingBytes -= bytes
      if (this.#waitingBytes <= maxWaiting) this.#settleRoom()
      this.#startSync(bytes)
    }
    // In the same step as the look at the queue: what comes after it has to start anew.
    this.#writing = undefined
  }

  async #writeAll(buffers: ReadonlyArray<Uint8Array>): Promise<void> {
    // More than the kernel takes at once is cut by Node; what it does not take is written one by one.
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
