/** Bytes collected piece by piece; the buffer doubles, so tiny pieces cost no more than large ones. */
export class Bytes {
  #buffer = new Uint8Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length) {
      // The old memory is freed at once: left to the garbage collector, a large form would take twice its size.
      this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(Math.max(length, this.#buffer.length * 2)))
    }
    this.#buffer.set(piece, this.#length)
    this.#length = length
  }

  /** What was collected; a view, valid until the next `append`. */
  get value(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }
}
