import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"

const single = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))$/i

/**
 * What a `Range` header asks of `size` bytes (RFC 9110, section 14.2): a part, the `whole`, or something
 * `unsatisfiable`. A header that is malformed or names another unit is ignored, as the RFC has it; several ranges are
 * answered with the whole, which it allows.
 */
export const byteRange = (header: string, size: number): ByteSpan | "whole" | "unsatisfiable" => {
  const match = single.exec(header.trim())
  if (match === null) return "whole"
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    const length = Number(suffix)
    if (length === 0) return "unsatisfiable"
    // The last bytes of nothing are satisfiable, but `Content-Range` cannot say an empty range.
    return size === 0 ? "whole" : { start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  const end = last === "" ? size : Number(last) + 1
  if (end <= start && last !== "") return "whole"
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size) }
}
