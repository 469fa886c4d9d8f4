import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"

const single = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))$/i

/**
 * Parses a `Range` header for `size` bytes (RFC 9110, section 14.2): a part, the `whole`, or `unsatisfiable`. A
 * malformed header or an unknown unit is ignored, as the RFC requires. Several ranges are answered with the whole,
 * which the RFC allows.
 */
export const byteRange = (header: string, size: number): ByteSpan | "whole" | "unsatisfiable" => {
  const match = single.exec(header.trim())
  if (match === null) return "whole"
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    const length = Number(suffix)
    if (length === 0) return "unsatisfiable"
    // The last bytes of an empty file are satisfiable, but `Content-Range` cannot express an empty range.
    return size === 0 ? "whole" : { start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  const end = last === "" ? size : Number(last) + 1
  if (end <= start && last !== "") return "whole"
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size) }
}
