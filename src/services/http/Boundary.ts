import { concatBytes } from "../../languages/ConcatBytes.ts"

const encoder = new TextEncoder()

/** The boundary of a form's content type, empty when there is none. */
export const boundaryOf = (contentType = ""): string => {
  const found = /;\s*boundary=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/i.exec(contentType)
  return found?.[1]?.replaceAll(/\\(.)/g, "$1") ?? found?.[2] ?? ""
}

/** A content type with only this boundary: RFC 9110 (5.6.6) allows empty parameters, which the parser refuses. */
export const typeWith = (boundary: string): string =>
  `multipart/form-data; boundary="${boundary.replaceAll(/["\\]/g, "\\$&")}"`

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9

/** Where the needle begins, the first time from `from` on; -1 where it does not. It begins with a carriage return. */
const find = (bytes: Uint8Array, needle: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(13, from); at !== -1; at = bytes.indexOf(13, at + 1)) {
    if (needle.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

/**
 * Passes a form to its parser without the blanks that may follow a boundary in its line, which receivers must ignore
 * (RFC 2046, section 5.1.1). Hardly any client sends them, and who does sends them after the first boundary, too: a form
 * without them there is passed on as it is.
 */
export const withoutPadding = (boundary: string, write: (chunk: Uint8Array) => void) => {
  const delimiter = encoder.encode(`\r\n--${boundary}`)
  const first = delimiter.subarray(2)
  /** The received part of the first line; later the end of a chunk in which a delimiter may begin. */
  let held: Uint8Array = new Uint8Array()
  let state: "first" | "plain" | "padding" | "content" = "first"

  const filter = (chunk: Uint8Array): void => {
    const bytes = held.length === 0 ? chunk : concatBytes([held, chunk])
    let at = 0
    for (;;) {
      if (state === "padding") {
        while (isBlank(bytes[at])) at++
        held = bytes.subarray(at, at)
        if (at === bytes.length) return
        state = "content"
      }
      const found = find(bytes, delimiter, at)
      const end = found === -1 ? Math.max(at, bytes.length - delimiter.length + 1) : found + delimiter.length
      if (end > at) write(bytes.subarray(at, end))
      at = end
      if (found === -1) break
      state = "padding"
    }
    held = bytes.slice(at)
  }

  const begin = (bytes: Uint8Array): void => {
    if (bytes.length <= first.length) {
      held = bytes.slice()
      return
    }
    held = new Uint8Array()
    if (first.every((byte, at) => bytes[at] === byte) && isBlank(bytes[first.length])) {
      state = "padding"
      write(bytes.subarray(0, first.length))
      filter(bytes.subarray(first.length))
    } else {
      state = "plain"
      write(bytes)
    }
  }

  return {
    write: (chunk: Uint8Array): void => {
      if (state === "plain") write(chunk)
      else if (state === "first") begin(held.length === 0 ? chunk : concatBytes([held, chunk]))
      else filter(chunk)
    },
    /** Passes on what was held at the end of the body. */
    end: (): void => {
      if (held.length > 0) write(held)
      held = new Uint8Array()
    }
  }
}
