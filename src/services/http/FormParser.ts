import { MultipartParser } from "effect/http"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { unknownName } from "../../languages/Suggest.ts"
import { ByteBuffer } from "../shared/bytes/ByteBuffer.ts"
import type { RunningHash } from "../shared/bytes/StreamHash.ts"
import type { DeclaredFile, PartRule } from "../shared/requests/FormRules.ts"
import { boundaryOf, typeWith, withoutPadding } from "./Boundary.ts"
import { type Digest, digestFaultOf, sentDigests } from "./Digest.ts"
import { PartHeaders } from "./PartHeaders.ts"

/** The part that is streamed and not kept. */
export interface FileRule {
  readonly name: string
  /** Maximum size of the file in bytes, if it is limited. Reception stops beyond it. */
  readonly most?: { readonly limit: number; readonly limitName: string; readonly key?: string } | undefined
  readonly take: (chunk: Uint8Array) => void
  readonly newHash: () => RunningHash
}

export interface FormRules {
  /** The parts that are kept in memory. */
  readonly parts: ReadonlyMap<string, PartRule>
  readonly file?: FileRule
  /** Maximum number of parts, whether a rule names them or not. */
  readonly maxParts: number
  /** The limit of parts that no rule names: the form is refused, but the rest of its faults is told too. */
  readonly otherLimit: number
  /** Whether the form is refused in any case, so that its file need not be received. */
  readonly isRefused?: boolean
}

/** A part of the form as it was received. */
interface ReceivedPart extends DeclaredFile {
  readonly name: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: ByteBuffer
}

/** The state of a form. Once `excess` or `broken` is set, the rest of the body is ignored. */
export interface FormParser {
  readonly write: (chunk: Uint8Array) => void
  readonly end: () => void
  readonly refused: () => BadRequest | TooLarge | undefined
  /** True when the form was refused before its file: the parts up to there are whole, and others may have followed. */
  readonly isLeft: () => boolean
  readonly parts: ReadonlyArray<ReceivedPart>
  /** What the client declares about the file; undefined until its first byte. */
  readonly file: () => DeclaredFile | undefined
  /** The parts that no rule names, and the faults of the file: repeated parts, and a wrong digest. */
  readonly issues: () => ReadonlyArray<Issue>
}

/** The error for an invalid form, with all its faults. */
export const unreadable = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The form is invalid", issues })

/** Maximum size of a part's headers and boundary, in bytes. */
const overhead = 20 * 1024

const headerFaults = {
  TooManyHeaders: "a part has more than 100 headers",
  HeaderTooLarge: "the headers of a part are too large",
  InvalidHeaderName: "the name of a part's header has a character that it may not have",
  InvalidHeaderValue: "the value of a part's header has a character that it may not have"
}

/** A fault that belongs to no part, or to one that has no name. */
export const ofForm = (detail: string): Issue => ({ part: "body", detail })

const faultOf = (error: MultipartParser.MultipartError, seen: PartHeaders): Issue => {
  switch (error._tag) {
    case "InvalidBoundary":
      return { part: "header", pointer: "/content-type", detail: "the content type has no boundary" }
    case "BadHeaders":
      return ofForm(headerFaults[error.error.reason])
    case "InvalidDisposition":
      return seen.fault() ?? ofForm("the Content-Disposition of a part cannot be read")
    default:
      return ofForm("the form ends before its closing boundary")
  }
}

/**
 * Parses a form with parts in any order: the file's bytes go to its rule, other parts are kept in memory, each up to
 * its limit.
 */
export const formParser = (headers: Readonly<Record<string, string>>, rules: FormRules): FormParser => {
  const parts: Array<ReceivedPart> = []
  const known = [...rules.parts.keys(), ...(rules.file === undefined ? [] : [rules.file.name])]
  const unknown = new Set<string>()
  let file: DeclaredFile | undefined
  let digests: ReadonlyArray<Digest> = []
  let hash: RunningHash | undefined
  let files = 0
  let received = 0
  let taken = 0
  let isLeft = false
  let isDone = false
  /** Whether the next bytes belong to the headers of a part. */
  let isBetween = true
  const seen = new PartHeaders(headers)
  let refused: BadRequest | TooLarge | undefined
  /** Bytes of the body according to the client; NaN if it does not say. */
  const announced = Number(headers["content-length"])

  /** Maximum number of bytes besides the file: the parts, and the preamble and epilogue around them. */
  let rest = (rules.maxParts + 1) * (rules.otherLimit + overhead)
  for (const { limit } of rules.parts.values()) rest += limit

  /** Expected size of a part. In a form without a file, the remaining bytes of the body limit it. */
  const expected = (limit: number): number | undefined => {
    const toCome = announced - received
    return rules.file === undefined && toCome > 0 ? Math.min(limit, toCome) : undefined
  }

  const unknownIssues = (): ReadonlyArray<Issue> =>
    [...unknown].map((name) => ({ part: name, detail: unknownName(name, known) }))

  const receiveFile = (rule: FileRule, { filename, contentType, headers: fields }: MultipartParser.PartInfo) => {
    if (++files === 1) {
      file = { filename, contentType }
      digests = sentDigests(fields)
      if (digests.length > 0) hash = rule.newHash()
    }
    const isFirst = files === 1
    // The form is refused anyway, so its file is not read.
    if ((unknown.size > 0 || rules.isRefused === true) && refused === undefined) {
      isLeft = true
      refused = unreadable(unknownIssues())
    }
    return (chunk: Uint8Array | null) => {
      if (chunk === null || refused !== undefined || !isFirst) return
      taken += chunk.length
      if (rule.most !== undefined && taken > rule.most.limit) {
        const { limit: value, limitName: limit, key } = rule.most
        // The bytes so far, which already exceed the limit.
        refused = new TooLarge({ limit, value, part: rule.name, ...(key === undefined ? {} : { key, used: taken }) })
        return
      }
      hash?.update(chunk)
      rule.take(chunk)
    }
  }
  const receivePart = ({ name, filename, contentType, headers: fields }: MultipartParser.PartInfo) => {
    const rule = rules.parts.get(name)
    let length = 0
    if (name === "") refused ??= unreadable([ofForm("a part has an empty name")])
    if (rule === undefined) {
      unknown.add(name)
      return (chunk: Uint8Array | null) => {
        length += chunk?.length ?? 0
        if (length > rules.otherLimit) refused ??= unreadable(unknownIssues())
      }
    }
    const { limit, limitName } = rule
    const bytes = new ByteBuffer(expected(limit))
    if (refused === undefined) parts.push({ name, filename, contentType, headers: fields, bytes })
    return (chunk: Uint8Array | null) => {
      if (chunk === null || refused !== undefined) return
      length += chunk.length
      if (length > limit) refused = new TooLarge({ limit: limitName, value: limit, part: name })
      else bytes.append(chunk)
    }
  }

  const boundary = boundaryOf(headers["content-type"])
  const parser = MultipartParser.make({
    headers: { "content-type": typeWith(boundary) },
    isFile: () => true,
    maxParts: rules.maxParts,
    onField: () => {},
    onFile: (info) => {
      const take = info.name === rules.file?.name ? receiveFile(rules.file, info) : receivePart(info)
      isBetween = false
      return (chunk) => {
        isBetween = chunk === null
        take(chunk)
      }
    },
    onDone: () => {
      isDone = true
    },
    onError: (error) => {
      if (error._tag === "ReachedLimit") refused ??= new TooLarge({ limit: "parts", value: rules.maxParts })
      else refused ??= unreadable([faultOf(error, seen)])
    }
  })
  // What follows the closing boundary is ignored (RFC 2046, section 5.1.1); the parser would read headers there.
  const toParser = (chunk: Uint8Array) => {
    if (isDone) return
    seen.begin(chunk)
    parser.write(chunk)
    seen.end(isBetween)
  }
  const padded = withoutPadding(boundary, toParser)
  return {
    write: (chunk) => {
      if (refused !== undefined) return
      const { length } = chunk
      padded.write(chunk)
      received += length
      if (received - taken > rest) refused ??= new TooLarge({ limit: "form", value: rest })
    },
    end: () => {
      if (refused !== undefined) return
      padded.end()
      parser.end()
    },
    refused: () => refused,
    isLeft: () => isLeft,
    parts,
    file: () => file,
    issues: () => {
      const issues = [...unknownIssues()]
      if (rules.file === undefined) return issues
      const part = rules.file.name
      if (files === 0) issues.push({ part, detail: "the part is missing" })
      if (files > 1) issues.push({ part, detail: "the part was sent more than once" })
      const fault = hash === undefined || isLeft ? undefined : digestFaultOf(digests, hash.base64())
      if (fault !== undefined) issues.push({ part, detail: fault })
      return issues
    }
  }
}
