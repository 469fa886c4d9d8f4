import * as fs from "node:fs"
import type { Blob } from "../Blobs.ts"
import { BlockSums, withoutSums } from "../BlockSums.ts"
import { Sha256 } from "../Sha256.ts"
import { type Calls, unit } from "./FileCalls.ts"
import { type SyncRate, syncEvery } from "./SyncRate.ts"

/**
 * Size of a slot in bytes: the unit of hashing and writing. Slots of 1 MiB take twice the processor time to write,
 * because their bytes have left the processor's cache by then.
 */
export const slotBytes = 256 * 1024

/**
 * Numbers of slots: the maximum of one writer, the guaranteed minimum, and the reserve that larger writers leave to
 * others.
 */
const most = 16
const least = 8
const shared = 256
/** Number of free slots that are kept for reuse. */
const maxKept = 64
/** Milliseconds after which they are given back when no file is written. */
const keptFor = 10_000

const kept: Array<SharedArrayBuffer> = []
let used = 0
let timer: NodeJS.Timeout | undefined

/**
 * Takes a slot: memory for bytes on their way to the disk, shared with the hashing thread. Slots are reused, because
 * garbage of this size would stay for long and cause expensive collections. Undefined when the caller already has its
 * share (`mine`).
 */
const takeSlot = (mine: number): SharedArrayBuffer | undefined => {
  if (mine >= most || (mine >= least && used >= shared)) return undefined
  used++
  clearTimeout(timer)
  return kept.pop() ?? new SharedArrayBuffer(slotBytes)
}

/** Returns a slot that is no longer read by the thread or the kernel. */
const giveSlot = (slot: SharedArrayBuffer): void => {
  if (kept.length < maxKept) kept.push(slot)
  dropSlots(1)
}

/** Drops slots that may still be read; they are not reused. */
const dropSlots = (count: number): void => {
  used -= count
  if (used > 0) return
  clearTimeout(timer)
  timer = setTimeout(() => {
    kept.length = 0
  }, keptFor).unref()
}

/** Maximum number of slots in one write. */
const maxWritten = 4
/**
 * A file of up to so many slots is opened when all of it has arrived: then one call writes and syncs it. Each call wakes
 * a thread and is answered by waking this one, which takes more processor time than its work.
 */
const maxHeld = maxWritten

/** Opens the file. `synced`: a write returns when its bytes are durable. */
type OpenFile = (synced: boolean) => Promise<number>

/**
 * Receives the bytes of one file: copies them into slots, which are written and hashed concurrently and then reused.
 * The bytes are durable when `finish` returns.
 */
export class FileWriter {
  readonly #call: Calls
  readonly #pace: SyncRate
  readonly #open: OpenFile
  readonly #hash = new Sha256()
  readonly #sums = new BlockSums()
  readonly #full: Array<{ readonly slot: SharedArrayBuffer; readonly length: number; readonly hashed: Promise<void> }> =
    []
  #fd = -1
  #slot: SharedArrayBuffer | undefined
  #length = 0
  #used = 0
  #unsynced = 0
  #syncing: Promise<void> | undefined
  #writing: Promise<void> | undefined
  #position = 0
  /** There is more than one call writes. */
  #isLong = false
  #isWaiting = false
  #isClosed = false
  #failure: { readonly cause: unknown } | undefined
  #onRoom: (() => void) | undefined

  constructor(call: Calls, pace: SyncRate, open: OpenFile) {
    this.#call = call
    this.#pace = pace
    this.#open = open
  }

  /** Copies bytes of the chunk and returns how many: fewer than all when every slot is in use. */
  take(chunk: Uint8Array): number {
    const from = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let taken = 0
    while (taken < chunk.length) {
      if (this.#slot === undefined) {
        this.#slot = takeSlot(this.#used)
        if (this.#slot === undefined) {
          this.#isWaiting = true
          return taken
        }
        this.#used++
        this.#length = 0
        if (!this.#isLong && this.#full.length === maxHeld) this.#begin()
      }
      // `Buffer.copy` into shared memory is twice as fast as `set` of a typed array.
      const copied = from.copy(Buffer.from(this.#slot), this.#length, taken)
      taken += copied
      this.#length += copied
      if (this.#length === slotBytes) this.#ship()
    }
    return taken
  }

  /** Calls back once, when there may be room again or the write has failed. */
  whenRoom(callback: () => void): void {
    this.#onRoom = callback
    if (!this.#isWaiting || this.#failure !== undefined) this.#wake()
  }

  #wake(): void {
    const callback = this.#onRoom
    this.#onRoom = undefined
    callback?.()
  }

  /** Throws the failure of the write, if any. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.cause
  }

  #ship(): void {
    const slot = this.#slot!
    const length = this.#length
    this.#slot = undefined
    const hashed = this.#hash.add(slot, length)
    hashed.catch((cause) => this.#fail(cause))
    this.#full.push({ slot, length, hashed })
    if (this.#isLong) this.#write(new Uint8Array(slot, 0, length))
  }

  #begin(): void {
    this.#isLong = true
    for (const { slot, length } of this.#full) this.#write(new Uint8Array(slot, 0, length))
  }

  #write(bytes: Uint8Array): void {
    this.#sums.add(bytes)
    // One write at a time: the kernel lets a second one wait, which takes processor time.
    this.#writing ??= this.#writeFull().catch((cause) => this.#fail(cause))
  }

  #fail(cause: unknown): void {
    this.#failure ??= { cause }
    this.#wake()
  }

  async #writeFull(): Promise<void> {
    if (this.#fd < 0) this.#fd = await this.#open(false)
    // Slots that were filled during one write go into the next: each write costs a turn of this thread, whatever its
    // size.
    for (let full = this.#full.splice(0, maxWritten); full.length > 0; full = this.#full.splice(0, maxWritten)) {
      this.check()
      const position = this.#position
      for (const { length } of full) this.#position += length
      await this.#writeAll(
        position,
        full.map(({ slot, length }) => new Uint8Array(slot, 0, length))
      )
      for (const { slot, length, hashed } of full) {
        this.#written(slot, hashed)
        this.#unsynced += length
      }
      if (this.#unsynced >= syncEvery) this.#sync()
      if (this.#unsynced >= this.#pace.unsynced) await this.#syncing
    }
    // Immediately, because the next full slot needs a new writer.
    this.#writing = undefined
  }

  /** A slot is reused only when both the hash and the write are done; an overdue call may still read it. */
  #written(slot: SharedArrayBuffer, hashed: Promise<void>): void {
    hashed.then(
      () => this.#release(slot),
      () => {}
    )
  }

  #release(slot: SharedArrayBuffer): void {
    if (this.#isClosed) return
    giveSlot(slot)
    this.#used--
    this.#isWaiting = false
    this.#wake()
  }

  /** Repeats the write when the kernel accepts only a part of the bytes. */
  async #writeAll(position: number, all: ReadonlyArray<Uint8Array>): Promise<void> {
    let at = position
    for (let left = all; left.length > 0; ) {
      const written = await this.#call<number>((done) => fs.writev(this.#fd, left, at, done))
      if (written === 0) throw new Error("the storage takes no bytes")
      at += written
      let skip = written
      const next: Array<Uint8Array> = []
      for (const bytes of left) {
        if (skip < bytes.length) next.push(skip === 0 ? bytes : bytes.subarray(skip))
        skip = Math.max(0, skip - bytes.length)
      }
      left = next
    }
  }

  /** Starts a sync of what was written so far, unless one is running. */
  #sync(): void {
    if (this.#syncing !== undefined) return
    const bytes = this.#unsynced
    const started = performance.now()
    this.#syncing = this.#call(unit((done) => fs.fdatasync(this.#fd, done))).then(
      () => {
        this.#syncing = undefined
        this.#unsynced -= bytes
        this.#pace.synced(bytes, performance.now() - started)
      },
      (cause) => this.#fail(cause)
    )
  }

  /** Writes the remaining bytes and returns the blob, which is durable then, and the file of its sums. */
  async finish(): Promise<Blob & { readonly sums: Buffer | undefined }> {
    if (this.#slot !== undefined) this.#ship()
    if (!this.#isLong) return this.#finishShort()
    await this.#writing
    this.check()
    await this.#syncing
    const synced = this.#call(unit((done) => fs.fsync(this.#fd, done)))
    const [sha256] = await Promise.all([this.#hash.digest(), synced])
    this.check()
    const size = this.#position
    return { sha256, size, sums: size > withoutSums ? this.#sums.encode() : undefined }
  }

  async #finishShort(): Promise<Blob & { readonly sums: Buffer | undefined }> {
    const all = this.#full.map(({ slot, length }) => new Uint8Array(slot, 0, length))
    const size = all.reduce((sum, { length }) => sum + length, 0)
    this.#fd = await this.#open(true)
    if (size === 0) await this.#call(unit((done) => fs.fsync(this.#fd, done)))
    const [sha256] = await Promise.all([this.#hash.digest(), this.#writeAll(0, all)])
    this.check()
    for (const { slot, hashed } of this.#full) this.#written(slot, hashed)
    if (size > withoutSums) for (const bytes of all) this.#sums.add(bytes)
    return { sha256, size, sums: size > withoutSums ? this.#sums.encode() : undefined }
  }

  /** Stops receiving and hashing. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#hash.close()
    if (this.#slot !== undefined) {
      giveSlot(this.#slot)
      this.#used--
    }
    dropSlots(this.#used)
  }
}
