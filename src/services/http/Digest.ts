import { Effect } from "effect"
import { digestFaultOf, sentDigests } from "./SentDigest.ts"

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

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
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))
  return digestFaultOf(digests, base64(new Uint8Array(digest)))
})
