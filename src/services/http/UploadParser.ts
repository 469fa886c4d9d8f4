import { MultipartParser } from "effect/http"
import type { Issue } from "../../errors/BadRequest.ts"
import { Bytes } from "../shared/Bytes.ts"
import type { RunningHash } from "../shared/StreamHash.ts"
import type { Excess, PartRule, ReceivedPart } from "./FormParser.ts"
import { type Digest, digestFaultOf, sentDigests } from "./SentDigest.ts"

export interface UploadRules {
  /** The part whose bytes go to the storage as they arrive. */
  readonly file: string
  /** The maximum size of the file, if there is one. A larger file is not received to its end. */
  readonly most?: { readonly limit: number; readonly limitName: string } | undefined
  /** The other parts, which are held in memory. */
  readonly parts: ReadonlyMap<string, PartRule>
  readonly maxParts: number
  /** The limit of parts that no rule names. */
  readonly other: { readonly limit: number; readonly limitName: string }
}

/** The file's properties according to the client. The name must not be used as a path. */
export interface UploadedFile {
  readonly filename: string | undefined
  readonly contentType: string
}

export interface UploadParser {
  readonly write: (chunk: Uint8Array) => void
  readonly end: () => void
  readonly file: () => UploadedFile | undefined
  readonly parts: ReadonlyArray<ReceivedPart>
  readonly excess: () => Excess | undefined
  readonly broken: () => Issue | undefined
  /** Faults of repeated file parts, and of the file's digest. */
  readonly fileIssues: () => ReadonlyArray<Issue>
}

/** Maximum size of a part's headers and boundary, in bytes. */
const overhead = 20 * 1024

const faultOf = (error: MultipartParser.MultipartError): string => {
  switch (error._tag) {
    case "BadHeaders":
      return `a part has unreadable headers (${error.error.reason})`
    case "InvalidDisposition":
      return "a part has no name"
    default:
      return "the form ends before its closing boundary"
  }
}

/**
 * Parses a form: passes the file's bytes to `take` and holds other parts in memory, each up to its limit, in any order.
 */
export const uploadParser = (
  headers: Readonly<Record<string, string>>,
  rules: UploadRules,
  newHash: () => RunningHash,
  take: (chunk: Uint8Array) => void
): UploadParser => {
  const parts: Array<ReceivedPart> = []
  let file: UploadedFile | undefined
  let digests: ReadonlyArray<Digest> = []
  let hash: RunningHash | undefined
  let files = 0
  let received = 0
  let taken = 0
  let excess: Excess | undefined
  let broken: Issue | undefined
  const stopped = () => excess !== undefined || broken !== undefined

  let rest = (rules.maxParts + 1) * (rules.other.limit + overhead)
  for (const { limit } of rules.parts.values()) rest += limit

  const receiveFile = ({ filename, contentType, headers: fields }: MultipartParser.PartInfo) => {
    if (++files === 1) {
      file = { filename, contentType }
      digests = sentDigests(fields)
      if (digests.length > 0) hash = newHash()
    }
    const isFirst = files === 1
    return (chunk: Uint8Array | null) => {
      if (chunk === null || stopped() || !isFirst) return
      taken += chunk.length
      if (rules.most !== undefined && taken > rules.most.limit) {
        excess = { limit: rules.most.limitName, value: rules.most.limit, part: rules.file }
        return
      }
      hash?.update(chunk)
      take(chunk)
    }
  }
  const receivePart = (info: MultipartParser.PartInfo) => {
    const rule = rules.parts.get(info.name)
    const { limit, limitName } = rule ?? rules.other
    const bytes = new Bytes()
    let length = 0
    if (info.name === "") broken ??= { detail: "a part has an empty name" }
    parts.push({ ...info, filename: info.filename, bytes })
    return (chunk: Uint8Array | null) => {
      if (chunk === null || stopped()) return
      length += chunk.length
      if (length > limit) excess = { limit: limitName, value: limit, part: info.name }
      else if (rule !== undefined) bytes.append(chunk)
    }
  }

  const parser = MultipartParser.make({
    headers,
    isFile: () => true,
    maxParts: rules.maxParts,
    onField: () => {},
    onFile: (info) => (info.name === rules.file ? receiveFile(info) : receivePart(info)),
    onDone: () => {},
    onError: (error) => {
      if (stopped()) return
      if (error._tag === "ReachedLimit") excess = { limit: "parts", value: rules.maxParts }
      else broken = { detail: faultOf(error) }
    }
  })
  return {
    write: (chunk) => {
      if (stopped()) return
      received += chunk.length
      parser.write(chunk)
      if (received - taken > rest && !stopped()) excess = { limit: "form", value: rest }
    },
    end: () => {
      if (!stopped()) parser.end()
    },
    file: () => file,
    parts,
    excess: () => excess,
    broken: () => broken,
    fileIssues: () => {
      const issues: Array<Issue> = []
      if (files === 0) issues.push({ part: rules.file, detail: "the part is missing" })
      if (files > 1) issues.push({ part: rules.file, detail: "the part was sent more than once" })
      const fault = hash === undefined ? undefined : digestFaultOf(digests, hash.base64())
      if (fault !== undefined) issues.push({ part: rules.file, detail: fault })
      return issues
    }
  }
}
