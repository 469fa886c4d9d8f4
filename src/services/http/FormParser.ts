import { MultipartParser } from "effect/http"
import type { Issue } from "../../errors/BadRequest.ts"
import { Bytes } from "../shared/Bytes.ts"

/** The rule for a part: at most `limit` bytes; a larger part is answered 413 with `limitName`. */
export interface PartRule {
  readonly limit: number
  readonly limitName: string
  readonly required: boolean
}

export interface FormRules {
  readonly parts: ReadonlyMap<string, PartRule>
  /** Maximum number of parts, whether a rule names them or not. */
  readonly maxParts: number
  /** The limit of parts that no rule names; their content is dropped. */
  readonly other: { readonly limit: number; readonly limitName: string }
}

/** A limit that the form exceeded. */
export interface Excess {
  readonly limit: string
  readonly value: number
  readonly part?: string
}

/** A received part of the form. */
export interface ReceivedPart {
  readonly name: string
  readonly filename: string | undefined
  readonly contentType: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Bytes
}

/** The state of a form. Once `excess` or `broken` is set, the rest of the body is ignored. */
export interface FormParser {
  readonly write: (chunk: Uint8Array) => void
  readonly end: () => void
  readonly parts: ReadonlyArray<ReceivedPart>
  readonly excess: () => Excess | undefined
  readonly broken: () => Issue | undefined
}

/** Maximum size of a part's headers and boundary, in bytes. */
const overhead = 20 * 1024

const faultOf = (error: MultipartParser.MultipartError): string => {
  switch (error._tag) {
    case "InvalidBoundary":
      return "the content type has no boundary"
    case "BadHeaders":
      return `a part has unreadable headers (${error.error.reason})`
    case "InvalidDisposition":
      return "a part has no name"
    default:
      return "the form ends before its closing boundary"
  }
}

/** Parses a form into memory, each part up to its own limit. Parts that no rule names are counted and dropped. */
export const formParser = (headers: Readonly<Record<string, string>>, rules: FormRules): FormParser => {
  const parts: Array<ReceivedPart> = []
  let excess: Excess | undefined
  let broken: Issue | undefined
  const stopped = () => excess !== undefined || broken !== undefined
  /** Bytes of the body that are still to be written; NaN when the client did not send Content-Length. */
  let toCome = Number(headers["content-length"])

  const receive = (info: MultipartParser.PartInfo) => {
    const rule = rules.parts.get(info.name)
    const { limit, limitName } = rule ?? rules.other
    const bytes = new Bytes(toCome > 0 ? Math.min(limit, toCome) : undefined)
    let length = 0
    if (!stopped()) {
      const { name, filename, contentType, headers } = info
      if (name === "") broken = { detail: "a part has an empty name" }
      parts.push({ name, filename, contentType, headers, bytes })
    }
    return (chunk: Uint8Array | null) => {
      if (chunk === null || stopped()) return
      length += chunk.length
      if (length > limit) excess = { limit: limitName, value: limit, part: info.name }
      else if (rule !== undefined) bytes.append(chunk)
    }
  }

  let total = rules.maxParts * (rules.other.limit + overhead)
  for (const { limit } of rules.parts.values()) total += limit

  const parser = MultipartParser.make({
    headers,
    isFile: () => true,
    maxParts: rules.maxParts,
    maxTotalSize: total,
    onField: () => {},
    onFile: receive,
    onDone: () => {},
    onError: (error) => {
      if (stopped()) return
      if (error._tag !== "ReachedLimit") broken = { detail: faultOf(error) }
      else if (error.limit === "MaxParts") excess = { limit: "parts", value: rules.maxParts }
      else excess = { limit: "form", value: total }
    }
  })
  return {
    write: (chunk) => {
      if (stopped()) return
      parser.write(chunk)
      toCome -= chunk.length
    },
    end: () => {
      if (!stopped()) parser.end()
    },
    parts,
    excess: () => excess,
    broken: () => broken
  }
}
