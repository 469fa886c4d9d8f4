import { Effect } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { sha256 } from "../shared/bytes/TextDigest.ts"
import { digestFaultOf, sentDigests } from "./SentDigest.ts"

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
  return digestFaultOf(digests, Base64.encode(yield* sha256(bytes)))
})
