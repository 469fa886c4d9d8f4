import type { Issue } from "../../errors/BadRequest.ts"
import { ByteBuffer } from "../shared/bytes/ByteBuffer.ts"
import { boundaryOf } from "./Boundary.ts"

/** More than the headers of a part with its boundary: the parser takes 16 KiB of them. */
const most = 20 * 1024

const token = "[!#$%&'*+.^\\w`|~-]+"
const parameter = new RegExp(`;[ \\t]*(${token})[ \\t]*=[ \\t]*("(?:[^"\\\\]|\\\\.)*"|${token})[ \\t]*`, "gy")
const extended = /^(?:utf-8|iso-8859-1)'[a-z0-9-]*'(?:%[0-9a-f]{2}|[!#$&+.^_`|~\w-])*$/i

const isExtended = (value: string): boolean => {
  if (!extended.test(value)) return false
  try {
    return /^iso/i.test(value) || decodeURIComponent(value) !== ""
  } catch {
    return false
  }
}

/** The fault of a part's `Content-Disposition`, with the part's name if there is one; undefined if it is valid. */
const faultOf = (headers: string): Issue | undefined => {
  const lines = headers.split("\r\n").filter((line) => /^content-disposition:/i.test(line))
  const [line = ""] = lines
  const given = new Map<string, string>()
  let fault = lines.length > 1 ? "the part has several Content-Disposition headers" : undefined
  parameter.lastIndex = Math.max(0, line.indexOf(";"))
  let end = parameter.lastIndex
  for (let found = parameter.exec(line); found !== null; found = parameter.exec(line)) {
    const [, name = "", value = ""] = found
    const key = name.toLowerCase()
    if (given.has(key)) fault ??= `its Content-Disposition has ${key} twice`
    else given.set(key, value.startsWith('"') ? value.slice(1, -1) : value)
    end = parameter.lastIndex
  }
  const file = given.get("filename*")
  if (file !== undefined && !isExtended(file))
    fault ??= "its filename* is not as in RFC 8187, such as UTF-8''na%C3%AFve.txt"
  if (end > 0 && end < line.length) fault ??= "its Content-Disposition cannot be read"
  const part = given.get("name")
  if (part !== undefined) return fault === undefined ? undefined : { part, detail: fault }
  return lines.length === 0 ? undefined : { part: "body", detail: fault ?? "a part has no name" }
}

/**
 * Keeps the headers of the part that is being parsed, to describe their fault: the parser only reports that there is one.
 */
export class PartHeaders {
  readonly #delimiter: string
  #kept: Array<Uint8Array> = [new TextEncoder().encode("\r\n")]
  #bytes = 2
  #current: Uint8Array = new Uint8Array()

  constructor(headers: Readonly<Record<string, string>>) {
    this.#delimiter = `\r\n--${boundaryOf(headers["content-type"])}`
  }

  /** To be called before a chunk is parsed. */
  begin(chunk: Uint8Array): void {
    this.#current = chunk
  }

  /** To be called after that. Keeps the bytes that may belong to the next part's headers, or to the end of this part. */
  end(isBetween: boolean): void {
    // The parser notices a delimiter only when more bytes have arrived.
    const kept = isBetween ? most : this.#delimiter.length + 4
    // `slice` of a Buffer does not copy, and the memory of the chunk is reused.
    const copy = new Uint8Array(this.#current.subarray(-kept))
    this.#current = copy
    this.#kept.push(copy)
    this.#bytes += copy.length
    while (this.#bytes - (this.#kept[0]?.length ?? 0) >= kept) this.#bytes -= this.#kept.shift()?.length ?? 0
  }

  /** The first fault of a part in the chunk that is being parsed. */
  fault(): Issue | undefined {
    const bytes = new ByteBuffer()
    for (const piece of [...this.#kept, this.#current]) bytes.append(piece)
    for (const part of new TextDecoder().decode(bytes.value).split(this.#delimiter).slice(1)) {
      const end = part.indexOf("\r\n\r\n")
      const fault = end === -1 ? undefined : faultOf(part.slice(0, end))
      if (fault !== undefined) return fault
    }
    return undefined
  }
}
