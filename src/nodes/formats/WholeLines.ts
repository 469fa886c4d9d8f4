import { concatBytes } from "../../languages/ConcatBytes.ts"
import { type Encoding, lastLineEnd, unitBytes, withOrder } from "../../languages/Encoding.ts"

/**
 * Maximum number of bytes that are kept of an unfinished line. A character takes at most three bytes for each of its
 * UTF-16 units, so a line of this size always exceeds the maximum length.
 */
export const maxLineBytes = 4 * 1024 * 1024

/** The number of bytes at the end that may belong to an unfinished character. */
const unfinished = (bytes: Uint8Array, encoding: Encoding): number => {
  if (unitBytes(encoding) === 2) {
    const odd = bytes.length % 2
    const last = bytes[bytes.length - odd - (encoding === "utf-16be" ? 2 : 1)] ?? 0
    // A high surrogate waits for the low one.
    return last >= 0xd8 && last <= 0xdb ? odd + 2 : odd
  }
  if (encoding !== "utf-8") return 0
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte >= 0xc0) return back
    if (byte < 0x80) return 0
  }
  return 0
}

/**
 * Cuts bytes at line ends, so that no character is divided. A line of more than {@link maxLineBytes} comes in pieces,
 * which end between characters.
 */
export class WholeLines {
  encoding: Encoding
  #pieces: Array<Uint8Array> = []
  #size = 0

  constructor(encoding: Encoding) {
    this.encoding = encoding
  }

  /** The number of bytes that wait for their line end. */
  get waiting(): number {
    return this.#size
  }

  /** The bytes up to the last line end; undefined if there is none yet. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    if (this.encoding === "utf-16") {
      this.#keep(chunk)
      if (this.#size < 2) return undefined
      const all = this.#take()
      this.encoding = withOrder(this.encoding, all)
      return this.push(all)
    }
    // A unit of the waiting bytes may end in the chunk.
    const odd = this.#size % unitBytes(this.encoding)
    if (odd !== 0 && chunk.length > 0) return this.#cut(concatBytes([this.#take(), chunk]))
    return this.#cut(chunk)
  }

  #cut(chunk: Uint8Array): Uint8Array | undefined {
    const end = lastLineEnd(chunk, this.encoding)
    if (end === 0) {
      this.#keep(chunk)
      if (this.#size <= maxLineBytes) return undefined
      const piece = this.#take()
      const kept = unfinished(piece, this.encoding)
      this.#keep(piece.subarray(piece.length - kept))
      return piece.subarray(0, piece.length - kept)
    }
    const whole = chunk.subarray(0, end)
    const block = this.#size === 0 ? whole : concatBytes([this.#take(), whole])
    this.#keep(chunk.subarray(end))
    return block
  }

  /** The last line, which lacks its end. */
  rest(): Uint8Array {
    this.encoding = withOrder(this.encoding, new Uint8Array())
    return this.#take()
  }

  /** Keeps a copy, because the chunk's memory may be used again. */
  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pieces.push(new Uint8Array(bytes))
    this.#size += bytes.length
  }

  #take(): Uint8Array {
    const [only, ...others] = this.#pieces
    const all = only !== undefined && others.length === 0 ? only : concatBytes(this.#pieces)
    this.#pieces = []
    this.#size = 0
    return all
  }
}
