import type { LineEncoder } from "../../../languages/query/IndexedDocument.ts"
import { isMarked, originalText } from "../../../languages/query/StoredText.ts"
import { cell, type Show } from "./CsvCell.ts"

/** Initial size of the buffer in bytes. It is written out before it is full, unless a line is very long. */
const room = 640 * 1024
/** Bytes beyond those of a row's values: a comma, the quotes of an empty row, and the line end. */
const ending = 5

const encoding = new TextEncoder()
const decoding = new TextDecoder("utf-8", { ignoreBOM: true })

/** Bytes that can make a cell differ from its value: anywhere in it (1), or at its beginning (2). */
const telling = new Uint8Array(256)
for (let byte = 0; byte < 0x80; byte++) {
  const character = String.fromCharCode(byte)
  if (cell(`a${character}`) !== `a${character}`) telling[byte] = 3
  else if (cell(character) !== character) telling[byte] = 2
}
// Stored texts that differ from their values contain this character; few other characters share its first byte.
for (let unit = 0xe000; unit <= 0xf8ff; unit++) {
  const character = String.fromCharCode(unit)
  if (isMarked(character)) telling[encoding.encode(character)[0]!] = 3
}

/**
 * Encodes stored texts as csv rows, equal to those of `csvOf`. Most cells are copied as they are stored; only those
 * that need quotes, restoring or conversion are decoded.
 */
export class CsvLines implements LineEncoder {
  readonly #shown: ReadonlyArray<Show | undefined>
  #out = new Uint8Array(room)
  #size = 0

  /** `shown` has the conversion of each column, if any. */
  constructor(shown: ReadonlyArray<Show | undefined>) {
    this.#shown = shown
  }

  get size(): number {
    return this.#size
  }

  add(bytes: Uint8Array, at: number, fields: number): void {
    const begin = this.#size
    let out = this.#out
    let to = begin
    let from = at
    for (let column = 0; column < fields; column++) {
      const length = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
      from += 4
      if (to + length + ending > out.length) {
        this.#reserve(to + length + ending)
        out = this.#out
      }
      if (column > 0) out[to++] = 0x2c
      // -1 for a missing value.
      if (length <= 0) continue
      const [start, end] = [to, from + length]
      let told = telling[bytes[from]!]!
      for (let next = from; next < end; next++) {
        const byte = bytes[next]!
        told |= telling[byte]! & 1
        out[to++] = byte
      }
      if (told !== 0 || this.#shown[column] !== undefined) {
        const changed = encoding.encode(this.#cell(bytes.subarray(from, end), column))
        this.#reserve(start + changed.length + ending)
        out = this.#out
        out.set(changed, start)
        to = start + changed.length
      }
      from = end
    }
    this.#reserve(to + ending)
    out = this.#out
    // A lone empty cell would be an empty line, which readers skip.
    if (to === begin) {
      out[to++] = 0x22
      out[to++] = 0x22
    }
    out[to++] = 0x0d
    out[to++] = 0x0a
    this.#size = to
  }

  #cell(stored: Uint8Array, column: number): string {
    const text = decoding.decode(stored)
    const value = isMarked(text) ? originalText(text) : text
    return cell(this.#shown[column]?.(value) ?? value)
  }

  #reserve(size: number): void {
    if (size <= this.#out.length) return
    const larger = new Uint8Array(Math.max(size, 2 * this.#out.length))
    larger.set(this.#out)
    this.#out = larger
  }

  take(): Uint8Array {
    const bytes = this.#out.slice(0, this.#size)
    this.#size = 0
    if (this.#out.length > room) this.#out = new Uint8Array(room)
    return bytes
  }
}
