import { decode, type Encoding, firstLineEnd, replacedIn, unitBytes, withoutMark } from "../../languages/Encoding.ts"
import type { LinePlace } from "../ports/Position.ts"
import { keptLength, maxLineLength } from "./LineSplitter.ts"
import { WholeLines } from "./WholeLines.ts"

/** A line, or why it is none, without its end (LF or CRLF). */
export interface Line extends LinePlace {
  readonly text: string
  readonly fault?: string
}

/** The reason of a line that is dropped; its text is then the beginning of the line. */
export const tooLong = `the line is longer than ${maxLineLength} characters`

/** Reads the lines of a source with their places, independent of the division into chunks. */
export class LineReader {
  readonly #whole: WholeLines
  readonly #onReplaced: (bytes: number) => void
  #line: number | undefined
  /** The offset of the first byte of which no line was returned. */
  #offset: number
  /** A line over the limit that is being skipped, and its bytes so far. */
  #skipped: { readonly text: string; bytes: number } | undefined

  /** Begins at the place `from` of the source. */
  constructor(encoding: Encoding, from: LinePlace, onReplaced: (bytes: number) => void) {
    this.#whole = new WholeLines(encoding)
    this.#line = from.line
    this.#offset = from.offset
    this.#onReplaced = onReplaced
  }

  /** Where the first line begins that was not returned yet. */
  get place(): LinePlace {
    return { line: this.#line, offset: this.#offset }
  }

  push(chunk: Uint8Array): ReadonlyArray<Line> {
    const block = this.#whole.push(chunk)
    return block === undefined ? [] : this.#read(block, false)
  }

  /** The last line, if it lacks its end. */
  end(): ReadonlyArray<Line> {
    const rest = this.#whole.rest()
    return rest.length === 0 && this.#skipped === undefined ? [] : this.#read(rest, true)
  }

  #read(block: Uint8Array, isEnd: boolean): ReadonlyArray<Line> {
    const lines: Array<Line> = []
    const { encoding } = this.#whole
    let bytes = block
    if (this.#skipped !== undefined) {
      const end = firstLineEnd(bytes, encoding)
      this.#skipped.bytes += end === 0 ? bytes.length : end
      if (end === 0 && !isEnd) return []
      lines.push({ text: this.#skipped.text, fault: tooLong, ...this.#next(this.#skipped.bytes) })
      this.#skipped = undefined
      bytes = bytes.subarray(end === 0 ? bytes.length : end)
    }
    if (bytes.length === 0) return lines
    const text = decode(bytes, encoding)
    const replaced = replacedIn(bytes, text, encoding)
    if (replaced > 0) this.#onReplaced(replaced)
    const isFirst = this.#offset === 0
    const pieces = text.split("\n")
    const rest = pieces.pop()!
    let at = 0
    for (const piece of pieces) {
      const length = this.#lengthOf(piece, bytes, at)
      lines.push(this.#lineOf(isFirst && at === 0 ? withoutMark(piece) : piece, length))
      at += length
    }
    // A byte order mark without anything behind it is no line.
    if (rest === "" || (isFirst && at === 0 && withoutMark(rest) === "" && isEnd)) return lines
    if (isEnd) lines.push(this.#lineOf(isFirst && at === 0 ? withoutMark(rest) : rest, bytes.length - at))
    else this.#skipped = { text: withoutMark(rest.slice(0, keptLength)), bytes: bytes.length - at }
    return lines
  }

  /** The bytes of a decoded line with its end. `at` is its offset in the bytes. */
  #lengthOf(text: string, bytes: Uint8Array, at: number): number {
    const { encoding } = this.#whole
    if (unitBytes(encoding) === 2) return 2 * (text.length + 1)
    if (encoding !== "utf-8") return text.length + 1
    // No character has fewer bytes than UTF-16 units, also a replaced one, and no other one has the byte of a line end.
    return firstLineEnd(bytes, encoding, at + text.length) - at
  }

  /** The place of the next line, which has so many bytes. */
  #next(bytes: number): LinePlace {
    const { place } = this
    this.#offset += bytes
    if (this.#line !== undefined) this.#line++
    return place
  }

  #lineOf(piece: string, bytes: number): Line {
    const { line, offset } = this.#next(bytes)
    const text = piece.charCodeAt(piece.length - 1) === 13 ? piece.slice(0, -1) : piece
    return text.length > maxLineLength
      ? { text: text.slice(0, keptLength), fault: tooLong, line, offset }
      : { text, line, offset }
  }
}
