import type { LineEncoder } from "../../../languages/query/IndexedDocument.ts"
import { isMarked, originalText, separator } from "../../../languages/query/StoredText.ts"
import { cell, type Show } from "./CsvCell.ts"

/** Initial size of the buffer in bytes. It is written out before it is full, unless a line is very long. */
const room = 640 * 1024
/** Bytes beyond a line's own: the quotes of an empty row, and the line end. */
const ending = 4

const encoding = new TextEncoder()
const decoding = new TextDecoder("utf-8", { ignoreBOM: true })

const [first, second, third] = encoding.encode(separator)

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
 * Encodes stored lines as csv rows, equal to those of `csvOf`. Most cells are copied as they are stored; only those
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

  add(line: Uint8Array): void {
    this.#reserve(this.#size + line.length + ending)
    const begin = this.#size
    const length = line.length
    let out = this.#out
    let to = begin
    let column = 0
    let from = 0
    for (;;) {
      const start = to
      let at = from
      let told = at < length ? telling[line[at]!]! : 0
      for (; at < length; at++) {
        const byte = line[at]!
        if (byte === first && line[at + 1] === second && line[at + 2] === third) break
        told |= telling[byte]! & 1
        out[to++] = byte
      }
      if (at > from && (told !== 0 || this.#shown[column] !== undefined)) {
        const bytes = encoding.encode(this.#cell(line.subarray(from, at), column))
        this.#reserve(start + bytes.length + (length - at) + ending)
        out = this.#out
        out.set(bytes, start)
        to = start + bytes.length
      }
      if (at >= length) break
      // One byte replaces a longer separator, so the row never outgrows its room.
      out[to++] = 0x2c
      from = at + 3
      column++
    }
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
