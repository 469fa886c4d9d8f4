import { Effect } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { sha256Of } from "../shared/bytes/Sha256Digest.ts"

/** A SHA-256 in base64 that a client sent, and the name of its header. */
export interface Digest {
  readonly header: string
  /** Empty, and so equal to no hash, when the header is not a byte sequence of RFC 8941. */
  readonly sha256: string
}

const valueOf = (field: unknown): string => (Array.isArray(field) ? field.join(", ") : String(field ?? ""))

/** The SHA-256 values of `Content-Digest` and `Repr-Digest` (RFC 9530). Other algorithms are ignored. */
export const sentDigests = (fields: Readonly<Record<string, unknown>>): ReadonlyArray<Digest> =>
  ["content-digest", "repr-digest"].flatMap((header) => {
    const said = /(?:^|,)\s*sha-256=([^,]*)/i.exec(valueOf(fields[header]))?.[1]
    if (said === undefined) return []
    return { header, sha256: /^:([A-Za-z0-9+/]*={0,2}):\s*(?:;.*)?$/.exec(said)?.[1] ?? "" }
  })

/** Describes the first digest that differs from the actual SHA-256; undefined when all are right. */
export const digestFaultOf = (digests: ReadonlyArray<Digest>, actual: string): string | undefined => {
  const wrong = digests.find(({ sha256 }) => sha256 !== actual)
  return wrong === undefined ? undefined : `${wrong.header} is not the SHA-256 of what was received`
}

/** True when the headers contain a SHA-256 that {@link digestFault} can check. */
export const hasDigest = (fields: Readonly<Record<string, unknown>>): boolean => sentDigests(fields).length > 0

/**
 * Describes a SHA-256 in the headers that differs from that of the bytes; undefined when there is none. Other
 * algorithms are ignored.
 */
export const digestFault = Effect.fnUntraced(function* (
  fields: Readonly<Record<string, unknown>>,
  bytes: Uint8Array<ArrayBuffer>
) {
  const digests = sentDigests(fields)
  if (digests.length === 0) return undefined
  return digestFaultOf(digests, Base64.encode(yield* sha256Of(bytes)))
})
