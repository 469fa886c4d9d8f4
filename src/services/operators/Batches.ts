import type { Operator, SampleWork } from "./OperatorTest.ts"
import { type Sample, type Split, samples } from "./Samples.ts"

/** A range of the input that ends at a line end. */
export interface SampleBatch {
  readonly bytes: Uint8Array
  /** Number of the first input line in the batch, from 1. */
  readonly firstLine: number
  /** True when the batch holds only the beginning of a line that is too long to be tried. */
  readonly cut: boolean
}

const newline = 10

/**
 * Limits of a batch in non-empty lines and in bytes: large enough to make the hand-over to a thread cheap, small enough
 * that concurrent tests share the threads fairly.
 */
const batchLines = 500
/** Limit of all lines in a batch, empty ones included, because skipping empty lines takes time too. */
const mostLines = 16_384
const batchBytes = 128 * 1024

/**
 * The longest sample that is tried, in UTF-16 units. Many patterns take quadratic time on a line that they do not
 * match, so the limit for lines is lower than for events of a program.
 */
export const maxLength = (operator: SampleWork, split: Split): number =>
  operator === "flowlet" || split === "none" ? 1024 * 1024 : 64 * 1024

const lineFeeds = (bytes: Uint8Array, to: number): number => {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1 && at < to; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

/** At most `size` bytes from the start, without a cut character at the end. */
const beginning = (bytes: Uint8Array, size: number): Uint8Array => {
  let end = Math.min(size, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.slice(0, end)
}

/**
 * Cuts the input into batches at line ends. A line that certainly exceeds the limit gets a batch of its own and is cut.
 */
export function* batches(input: Uint8Array, operator: Operator, split: Split): Generator<SampleBatch> {
  // A UTF-16 unit takes at most three bytes in UTF-8, so a line with more bytes than this exceeds the limit.
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

/** The samples of a batch, with line numbers of the whole input. */
export const samplesOf = ({ bytes, firstLine }: SampleBatch, split: Split): ReadonlyArray<Sample> => {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  const text = firstLine === 1 && decoded.charCodeAt(0) === byteOrderMark ? decoded.slice(1) : decoded
  return Array.from(samples(text, split), (sample) => ({ line: sample.line + firstLine - 1, text: sample.text }))
}

/** The position of the first byte that is not UTF-8: line and column (UTF-16 units) from 1, and the byte. */
interface EncodingFault {
  readonly line: number
  readonly column: number
  readonly text: string
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The index of the first invalid byte from `from` on; a character that began before `from` is taken into account. */
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

/** Checks the bytes in pieces and yields after each one, so that the caller can let other work run in between. */
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
