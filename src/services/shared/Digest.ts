import { Effect } from "effect"

const headers = ["content-digest", "repr-digest"] as const

/** The SHA-256 of one `Content-Digest` or `Repr-Digest` value (RFC 9530): `sha-256=:<base64>:` among others. */
const sha256Of = (value: string): string | undefined => /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]*={0,2}):/.exec(value)?.[1]

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : undefined

/** True when the headers carry a SHA-256 that {@link digestFault} will check. */
export const hasDigest = (fields: Readonly<Record<string, unknown>>): boolean =>
  headers.some((name) => sha256Of(text(fields[name]) ?? "") !== undefined)

/** What is wrong when a SHA-256 that the headers carry is not that of the bytes. Other algorithms are not looked at. */
export const digestFault = Effect.fnUntraced(function* (
  fields: Readonly<Record<string, unknown>>,
  bytes: Uint8Array<ArrayBuffer>
) {
  if (!hasDigest(fields)) return undefined
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))
  const actual = base64(new Uint8Array(digest))
  const wrong = headers.find((name) => {
    const sent = sha256Of(text(fields[name]) ?? "")
    return sent !== undefined && sent !== actual
  })
  return wrong === undefined ? undefined : `${wrong} is not the SHA-256 of what was received`
})
