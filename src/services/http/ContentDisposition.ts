// Characters that need no escaping in an ext-value (attr-char of RFC 8187).
const attrChar = /[A-Za-z0-9!#$&+.^_`|~-]/

const percentEncoded = (name: string): string =>
  [...new TextEncoder().encode(name)]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return byte < 128 && attrChar.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

/**
 * Control characters, path separators, and characters that change the writing direction: with one of these, `exe.txt`
 * may look like `txt.exe`.
 */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069/\\]/g

/**
 * The header value for any file name (RFC 6266). Unsafe characters become `_`. A name that is not plain ASCII is sent a
 * second time in UTF-8 (RFC 8187).
 */
export const contentDisposition = (type: "attachment" | "inline", filename: string): string => {
  const name = filename.toWellFormed().replace(unsafe, "_") || "download"
  // Readers disagree on how to escape quotes, and some of them decode `%`.
  const ascii = name.replace(/[^\x20-\x7e]|["%]/gu, "_")
  return ascii === name
    ? `${type}; filename="${ascii}"`
    : `${type}; filename="${ascii}"; filename*=UTF-8''${percentEncoded(name)}`
}
