import { availableParallelism } from "node:os"
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib"

/** Size of the blocks that are deflated at once, in bytes. */
const blockSize = 1024 * 1024

/** Entries up to this size are packed at once: the way to another thread would cost more. */
const small = 32 * 1024

/** Deflate refers to this many bytes before a block, so that blocks are packed as well as a whole. */
const window = 32 * 1024

/**
 * Number of blocks in work. Node has four threads for this, which the files of the run need too; one block more waits,
 * so that no thread does.
 */
const inWork = Math.min(3, availableParallelism()) + 1

const deflateBlock = (block: Uint8Array, dictionary: Uint8Array | undefined, level: number, isLast: boolean) =>
  new Promise<Uint8Array>((resolve, reject) => {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
    const options = {
      level,
      finishFlush,
      chunkSize: blockSize / 4,
      ...(dictionary === undefined ? {} : { dictionary })
    }
    deflateRaw(block, options, (error, packed) => (error === null ? resolve(packed) : reject(error)))
  })

/** What became of the bytes of an entry. */
interface PackedEntry {
  readonly crc: number
  /** Numbers of bytes after packing, and before. */
  readonly packed: number
  readonly size: number
}

/** Bytes of the zip in their order, of which some are still being packed. */
export class ZipPacker {
  readonly #level: number
  readonly #emit: (bytes: Uint8Array) => void | Promise<void>
  readonly #fail: (cause: unknown) => void
  /** Block buffers that are used again: new ones would make V8 collect garbage all the time. */
  readonly #free: Array<Buffer> = []
  #working = 0
  #room: PromiseWithResolvers<void> | undefined
  #last: Promise<void> = Promise.resolve()

  /** `emit` receives the bytes of the zip in order; `fail` receives the first failure, which ends the zip. */
  constructor(level: number, emit: (bytes: Uint8Array) => void | Promise<void>, fail: (cause: unknown) => void) {
    this.#level = level
    this.#emit = emit
    this.#fail = fail
  }

  /** Resolves when all that was added has been passed on. */
  get emptied(): Promise<void> {
    return this.#last
  }

  /** The promise is there when whoever adds bytes should wait. */
  get room(): Promise<void> | undefined {
    if (this.#working < inWork) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  /** Adds bytes, which `make` is asked for when all before them have been passed on. */
  add(make: () => Uint8Array | Promise<Uint8Array>): void {
    const before = this.#last
    this.#last = (async () => {
      await before
      await this.#emit(await make())
    })()
    this.#last.catch(this.#fail)
  }

  /** A buffer for a block, behind room for the end of the block before. */
  buffer(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafe(window + blockSize)
  }

  /**
   * Adds the block in a buffer, which must not be used any more. Told how many bytes the packed block has, when it is
   * passed on.
   */
  addBlock(
    buffer: Buffer,
    length: number,
    hasBefore: boolean,
    isLast: boolean,
    emitted: (bytes: number) => void
  ): void {
    const packing = this.#pack(buffer, length, hasBefore, isLast)
    // Its failure is that of `add`.
    packing.catch(() => {})
    this.#working++
    this.add(async () => {
      const packed = await packing
      emitted(packed.length)
      return packed
    })
    const done = () => {
      if (--this.#working >= inWork) return
      this.#room?.resolve()
      this.#room = undefined
    }
    this.#last.then(done, done)
  }

  async #pack(buffer: Buffer, length: number, hasBefore: boolean, isLast: boolean): Promise<Uint8Array> {
    const level = this.#level
    const block = buffer.subarray(window, window + length)
    let packed: Uint8Array
    if (level === 0) packed = Buffer.from(block)
    else if (!hasBefore && isLast && length <= small) {
      packed = deflateRawSync(block, { level, chunkSize: Math.max(256, length) })
    } else packed = await deflateBlock(block, hasBefore ? buffer.subarray(0, window) : undefined, level, isLast)
    this.#free.push(buffer)
    return packed
  }
}

/**
 * The bytes of one entry, packed as pigz does it: blocks are deflated at the same time, each with the end of the one
 * before it as its dictionary. Together they are one deflate stream. Level 0 stores them.
 */
export class Blocks {
  readonly #packing: ZipPacker
  #buffer: Buffer
  #length = 0
  #hasBefore = false
  #crc = 0
  #size = 0
  #packed = 0

  constructor(packing: ZipPacker) {
    this.#packing = packing
    this.#buffer = packing.buffer()
  }

  /** Copies the bytes before it returns. The promise is there when the caller should wait. */
  write(chunk: Uint8Array | string): void | Promise<void> {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    this.#crc = crc32(bytes, this.#crc)
    this.#size += bytes.length
    for (let at = 0; at < bytes.length; ) {
      if (this.#length === blockSize) this.#next()
      const taken = Math.min(bytes.length - at, blockSize - this.#length)
      this.#buffer.set(bytes.subarray(at, at + taken), window + this.#length)
      this.#length += taken
      at += taken
    }
    return this.#packing.room
  }

  /** Packs the full block, of which more follow. */
  #next(): void {
    const next = this.#packing.buffer()
    this.#buffer.copy(next, 0, this.#buffer.length - window)
    this.#pack(false)
    this.#buffer = next
    this.#length = 0
    this.#hasBefore = true
  }

  #pack(isLast: boolean): void {
    this.#packing.addBlock(this.#buffer, this.#length, this.#hasBefore, isLast, (bytes) => {
      this.#packed += bytes
    })
  }

  /** Packs the last block. `close` makes what follows the entry, when the entry has been passed on. */
  end(close: (packed: PackedEntry) => Uint8Array): void | Promise<void> {
    this.#pack(true)
    this.#packing.add(() => close({ crc: this.#crc, packed: this.#packed, size: this.#size }))
    return this.#packing.room
  }
}
