/** Size in bytes that suffices for the text of most pieces. */
const usualBytes = 1024 * 1024
/** Maximum size in bytes that is kept after a piece with more text than usual. */
const keptBytes = 4 * usualBytes

const encoder = new TextEncoder()

/**
 * Reused memory for the texts of `count` pieces: the system would have to clear fresh memory for each of them, and the
 * garbage collector to free it. When a piece begins, the memory of the piece `count` before is reused.
 */
export class TextMemory {
  readonly #allocate: (bytes: number) => ArrayBufferLike
  readonly #turns: Array<Uint8Array | undefined>
  #turn = 0
  #used = 0

  constructor(count: number, allocate: (bytes: number) => ArrayBufferLike) {
    this.#allocate = allocate
    this.#turns = Array.from({ length: count }, () => undefined)
  }

  /** Begins the texts of another piece. */
  turn(): void {
    this.#turn = (this.#turn + 1) % this.#turns.length
    this.#used = 0
    if ((this.#turns[this.#turn]?.length ?? 0) > keptBytes) this.#turns[this.#turn] = undefined
  }

  /** Stores the text and returns it as UTF-8. */
  put(text: string): Uint8Array {
    const room = (this.#turns[this.#turn] ?? this.#renew(usualBytes)).subarray(this.#used)
    const { read, written } = encoder.encodeInto(text, room)
    if (read === text.length) {
      this.#used += written
      return room.subarray(0, written)
    }
    // Earlier texts of the piece keep their memory. A UTF-16 unit takes at most three bytes.
    const memory = this.#renew(Math.max(2 * (this.#used + room.length), 3 * text.length))
    this.#used = encoder.encodeInto(text, memory).written
    return memory.subarray(0, this.#used)
  }

  #renew(bytes: number): Uint8Array {
    const memory = new Uint8Array(this.#allocate(bytes))
    this.#turns[this.#turn] = memory
    return memory
  }
}
