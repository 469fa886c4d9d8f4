import type { Operator } from "./OperatorTest.ts"
import { type Sample, type Split, samples } from "./Samples.ts"

/** A piece of the input that ends with a line. */
export interface SampleBatch {
  readonly bytes: Uint8Array
  /** The line of the input that the piece begins with, from 1. */
  readonly firstLine: number
  /** True when the piece is only the beginning of a line that is too long to be tried. */
  readonly cut: boolean
}

const newline = 10

/** Lines, empty ones apart, and bytes of a batch: enough to make crossing a thread cheap, few enough to take turns. */
const batchLines = 500
/** Lines of a batch that has nearly nothing but empty ones: finding them is work too. */
const mostLines = 16_384
const batchBytes = 128 * 1024

/**
 * Longer samples (UTF-16 units) are not tried. Many patterns take quadratic time on a line that they do not match, so
 * lines have a lower limit there than events of a program.
 */
export const maxLength = (operator: Operator, split: Split): number =>
  operator === "flowlet" || split === "none" ? 1024 * 1024 : 64 * 1024

const lineFeeds = (bytes: Uint8Array, to: number): number => {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1 && at < to; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

/** Up to `size` bytes that end with a whole character. */
const beginning = (bytes: Uint8Array, size: number): Uint8Array => {
  let end = Math.min(size, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.slice(0, end)
}

/** Cuts the input at line ends. A line that is surely too long comes alone and cut. */
export function* batches(input: Uint8Array, operator: Operator, split: Split): Generator<SampleBatch> {
  // A UTF-16 unit has at most three bytes in UTF-8, so more bytes than this are more units than allowed.
  const tooLong = maxLength(operator, split) * 3 + 3
  if (split === "none") {
    if (input.length > 0) {
      yield { bytes: beginning(input, tooLong), firstLine: 1, cut: input.length > tooLong }
    }
    return
  }
  let firstLine = 1
  let start = 0
  while (start < input.length) {
    let end = start
    let lines = 0
    let filled = 0
    while (end < input.length && filled < batchLines && lines < mostLines && end - start < batchBytes) {
      const feed = input.indexOf(newline, end)
      const next = feed === -1 ? input.length : feed + 1
      if (next - end > tooLong) break
      // Empty lines are no samples.
      if (next - end > 2) filled++
      end = next
      lines++
    }
    if (end === start) {
      const feed = input.indexOf(newline, start)
      end = feed === -1 ? input.length : feed + 1
      yield { bytes: beginning(input.subarray(start, end), tooLong), firstLine, cut: true }
      firstLine++
    } else {
      yield { bytes: input.slice(start, end), firstLine, cut: false }
      firstLine += lines
    }
    start = end
  }
}

const byteOrderMark = 0xfeff

/** The samples of a batch, their lines counted in the whole input. */
export const samplesOf = ({ bytes, firstLine }: SampleBatch, split: Split): ReadonlyArray<Sample> => {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  const text = firstLine === 1 && decoded.charCodeAt(0) === byteOrderMark ? decoded.slice(1) : decoded
  return Array.from(samples(text, split), (sample) => ({ line: sample.line + firstLine - 1, text: sample.text }))
}

/** Where bytes stop being UTF-8: line and column (UTF-16 units) from 1, and the offending byte. */
export interface EncodingFault {
  readonly line: number
  readonly column: number
  readonly text: string
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The first byte from `from` on, less a character that began before, that no UTF-8 text has there. */
const badByte = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at > 0 && from - at < 3 && (bytes[at]! & 0xc0) === 0x80) at--
  while (at < bytes.length) {
    const lead = bytes[at]!
    const size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
    try {
      if (size > 1) strict.decode(bytes.subarray(at, at + size))
    } catch {
      break
    }
    at += size
  }
  return at
}

const describe = (bytes: Uint8Array, from: number): EncodingFault => {
  const bad = badByte(bytes, from)
  const lineStart = bad === 0 ? 0 : bytes.lastIndexOf(newline, bad - 1) + 1
  return {
    line: lineFeeds(bytes, bad) + 1,
    column: strict.decode(bytes.subarray(lineStart, bad)).length + 1,
    text: `0x${(bytes[bad] ?? 0).toString(16).padStart(2, "0")}`
  }
}

const sliceBytes = 256 * 1024

/** Checks the bytes a piece at a time, so that whoever drives it can let others work in between. */
export function* encodingFault(bytes: Uint8Array): Generator<undefined, EncodingFault | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    try {
      decoder.decode(bytes.subarray(start, start + sliceBytes), { stream: start + sliceBytes < bytes.length })
    } catch {
      return describe(bytes, start)
    }
    if (start + sliceBytes < bytes.length) yield
  }
  return undefined
}
