/**
 * Bytes collected piece by piece. `expected` is how many there will be, if that is known: room for them is taken at
 * once, which costs memory only as far as it is filled. Beyond it the buffer doubles, so tiny pieces cost no more than
 * large ones.
 */
export class Bytes {
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
      // The old memory is freed at once: left to the garbage collector, a large form would take twice its size.
      this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(Math.max(length, room)))
    }
    this.#buffer.set(piece, this.#length)
    this.#length = length
  }

  /** What was collected; a view, valid until the next `append`. */
  get value(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }
}
