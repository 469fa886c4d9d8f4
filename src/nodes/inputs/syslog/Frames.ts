import { concatBytes } from "../../../languages/ConcatBytes.ts"

/** Maximum number of digits of a frame's length. */
const countDigits = 9
const decimal = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/**
 * Divides a stream into syslog messages (RFC 6587): each begins with its length in bytes and a space, or ends with a
 * line end or a NUL. Senders may mix both forms. A message over `maxBytes` is passed on truncated, with `isCut`, and
 * its rest is skipped.
 */
export class Frames {
  readonly #maxBytes: number
  readonly #take: (message: Uint8Array, isCut: boolean) => void
  #waiting = new Uint8Array()
  /** Remaining bytes of a counted message to skip. */
  #skip = 0
  /** Whether the previous message was counted. */
  #isCounting = false
  /** Whether the rest of a line is being skipped. */
  #skipLine = false

  constructor(maxBytes: number, take: (message: Uint8Array, isCut: boolean) => void) {
    this.#maxBytes = maxBytes
    this.#take = take
  }

  push(chunk: Uint8Array): void {
    let bytes = this.#waiting.length === 0 ? chunk : concatBytes([this.#waiting, chunk])
    for (let rest = this.#next(bytes); rest !== undefined; rest = this.#next(bytes)) bytes = rest
    this.#waiting = new Uint8Array(bytes)
  }

  /** Passes on an unterminated last message at the end of the stream. */
  end(): void {
    if (this.#waiting.length > 0 && !this.#skipLine) this.#take(this.#waiting, false)
    this.#waiting = new Uint8Array()
  }

  /** Processes the first message. Returns the bytes after it, or undefined when it is incomplete. */
  #next(bytes: Uint8Array): Uint8Array | undefined {
    if (bytes.length === 0) return undefined
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, bytes.length)
      this.#skip -= skipped
      return bytes.subarray(skipped)
    }
    if (!this.#skipLine && decimal(bytes[0])) {
      let digits = 1
      while (digits <= countDigits && decimal(bytes[digits])) digits++
      if (digits + 1 >= bytes.length && digits <= countDigits && (bytes[digits] ?? 0x20) === 0x20) return undefined
      // A text line may also begin with a number. A counted message has `<` after its length, or follows another
      // counted one.
      if (digits <= countDigits && bytes[digits] === 0x20 && (this.#isCounting || bytes[digits + 1] === 0x3c)) {
        this.#isCounting = true
        return this.#counted(bytes, digits)
      }
    }
    this.#isCounting = false
    return this.#line(bytes)
  }

  #counted(bytes: Uint8Array, digits: number): Uint8Array | undefined {
    let length = 0
    for (let at = 0; at < digits; at++) length = length * 10 + bytes[at]! - 0x30
    const body = bytes.subarray(digits + 1)
    const kept = Math.min(length, this.#maxBytes)
    if (body.length < kept) return undefined
    if (kept > 0) this.#take(body.subarray(0, kept), kept < length)
    this.#skip = length - kept
    return body.subarray(kept)
  }

  #line(bytes: Uint8Array): Uint8Array | undefined {
    let end = bytes.indexOf(0x0a)
    const nul = bytes.subarray(0, end === -1 ? bytes.length : end).indexOf(0)
    if (nul !== -1) end = nul
    if (end === -1 && bytes.length <= this.#maxBytes) {
      if (!this.#skipLine) return undefined
      return bytes.subarray(bytes.length)
    }
    const skips = this.#skipLine
    this.#skipLine = end === -1
    const stop = end === -1 ? bytes.length : end
    if (!skips) {
      const length = stop > 0 && bytes[stop - 1] === 0x0d ? stop - 1 : stop
      const isCut = length > this.#maxBytes
      if (length > 0) this.#take(bytes.subarray(0, isCut ? this.#maxBytes : length), isCut)
    }
    return bytes.subarray(end === -1 ? bytes.length : end + 1)
  }
}
