/**
 * A growing byte buffer. `expected` is the final size if it is known; it is reserved at once, but costs memory only as
 * far as it is filled. Beyond it the buffer doubles, so small pieces cost no more than large ones.
 */
export class ByteBuffer {
  readonly #expected: number
  #buffer = new Uint8Array(0)
  #length = 0

  constructor(expected = 1024) {
    this.#expected = expected
  }

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length) {
      const room = this.#length === 0 ? this.#expected : this.#buffer.length * 2
      // Frees the old memory at once: left to the garbage collector, a large form would take twice its size.
      this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(Math.max(length, room)))
    }
    this.#buffer.set(piece, this.#length)
    this.#length = length
  }

  /** A view of the collected bytes, valid until the next `append`. */
  get value(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }
}
