const first = 64 * 1024

/**
 * Collects bytes into parts. The buffers of sent parts are reused, because garbage of this size would stay for long.
 * Only the first part's buffer grows, because most contents are small.
 */
export class Filling {
  #buffer: Buffer
  #bytes = 0
  #size: number
  readonly #free: Array<Buffer> = []

  /** `size` is that of the first part, in bytes. */
  constructor(size: number) {
    this.#size = size
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(first, size))
  }

  get isFull(): boolean {
    return this.#bytes === this.#size
  }

  /** Adds as much of the chunk as fits into the part, and returns the rest. */
  add(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, this.#size - this.#bytes)
    const wanted = this.#bytes + taken.length
    if (wanted > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#size, Math.max(wanted, 2 * this.#buffer.length)))
      this.#buffer.copy(larger, 0, 0, this.#bytes)
      this.#buffer = larger
    }
    this.#buffer.set(taken, this.#bytes)
    this.#bytes = wanted
    return chunk.subarray(taken.length)
  }

  /** Returns the collected part; the next part has `nextSize` bytes. */
  take(nextSize: number): Buffer {
    const part = this.#buffer.subarray(0, this.#bytes)
    const reusable = this.#free.findIndex((buffer) => buffer.length === nextSize)
    this.#buffer = reusable === -1 ? Buffer.allocUnsafeSlow(nextSize) : this.#free.splice(reusable, 1)[0]!
    this.#size = nextSize
    this.#bytes = 0
    return part
  }

  /** Returns the collected bytes of the last part. */
  rest(): Buffer {
    return this.#buffer.subarray(0, this.#bytes)
  }

  /** Releases the part for reuse. */
  release(part: Buffer): void {
    this.#free.push(part)
  }
}
