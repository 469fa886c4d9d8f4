/** Encodings of text, as settings name them. In `utf-16` a byte order mark says the order; without one it is little-endian. */
export const encodings = ["utf-8", "latin1", "windows-1252", "utf-16", "utf-16le", "utf-16be"] as const
export type Encoding = (typeof encodings)[number]

const lf = 10
const mark = "\ufeff"
const replacement = "\ufffd"

/** The encoding with the byte order that a file's first bytes tell. */
export const withOrder = (encoding: Encoding, head: Uint8Array): Encoding => {
  if (encoding !== "utf-16") return encoding
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : "utf-16le"
}

/** Bytes of a unit, to which line ends are aligned. */
export const unitBytes = (encoding: Encoding): 1 | 2 => (encoding.startsWith("utf-16") ? 2 : 1)

/** Whether the byte LF at an offset is a line end, in a text that begins at an even offset. */
const isLineEnd = (bytes: Uint8Array, at: number, encoding: Encoding): boolean => {
  if (unitBytes(encoding) === 1) return true
  return encoding === "utf-16be" ? at % 2 === 1 && bytes[at - 1] === 0 : at % 2 === 0 && bytes[at + 1] === 0
}

const afterLineEnd = (at: number, encoding: Encoding): number =>
  unitBytes(encoding) === 1 || encoding === "utf-16be" ? at + 1 : at + 2

/** The offset after the first line end at or after `from`; 0 if there is none. `bytes` begin with a whole unit. */
export const firstLineEnd = (bytes: Uint8Array, encoding: Encoding, from = 0): number => {
  let at = bytes.indexOf(lf, from)
  while (at !== -1 && !isLineEnd(bytes, at, encoding)) at = bytes.indexOf(lf, at + 1)
  return at === -1 ? 0 : afterLineEnd(at, encoding)
}

/** The offset after the last line end; 0 if there is none. `bytes` begin with a whole unit. */
export const lastLineEnd = (bytes: Uint8Array, encoding: Encoding): number => {
  let at = bytes.lastIndexOf(lf)
  while (at !== -1 && !isLineEnd(bytes, at, encoding)) at = at === 0 ? -1 : bytes.lastIndexOf(lf, at - 1)
  return at === -1 ? 0 : afterLineEnd(at, encoding)
}

/**
 * Decodes whole characters. What the encoding does not have becomes U+FFFD, and a byte order mark stays. The encoding
 * has its byte order: see {@link withOrder}.
 */
export const decode = (bytes: Uint8Array, encoding: Encoding): string =>
  // A TextDecoder takes `latin1` for windows-1252.
  encoding === "latin1" ? decoderOf("utf-16le").decode(Uint16Array.from(bytes)) : decoderOf(encoding).decode(bytes)

const decoders = new Map<Encoding, TextDecoder>()

const decoderOf = (encoding: Encoding): TextDecoder => {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding, { ignoreBOM: true })
  decoders.set(encoding, decoder)
  return decoder
}

/** The text without a byte order mark at its beginning. */
export const withoutMark = (text: string): string => (text.startsWith(mark) ? text.slice(1) : text)

/** How often a text of one character is in another. */
const occurrences = (text: string, part: string): number => text.split(part).length - 1

const encodedReplacement = (bytes: Uint8Array): number => {
  let count = 0
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count++
  }
  return count
}

/** How many of the bytes {@link decode} replaced. */
export const replacedIn = (bytes: Uint8Array, text: string, encoding: Encoding): number => {
  if (!text.includes(replacement)) return 0
  const found = occurrences(text, replacement)
  if (encoding === "utf-8") {
    const own = encodedReplacement(bytes)
    // Every other character has as many bytes as in valid UTF-8.
    return bytes.length - (new TextEncoder().encode(text).length - 3 * (found - own))
  }
  if (unitBytes(encoding) === 1) return 0
  const high = encoding === "utf-16be" ? 0 : 1
  let own = 0
  for (let at = 0; at + 1 < bytes.length; at += 2) if (bytes[at + high] === 0xff && bytes[at + 1 - high] === 0xfd) own++
  return 2 * (found - own) - (bytes.length % 2)
}
