import { Effect, Result, Schema } from "effect"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import { concatBytes } from "../../languages/ConcatBytes.ts"
import { durationMillis, Span } from "../../languages/DurationText.ts"

const headerName = Schema.String.check(
  Schema.isPattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { expected: "the name of a header" })
)
const prefix = Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,50}$/, { expected: "1 to 50 characters of ASCII" }))

const Timestamp = Schema.Struct({
  header: headerName.annotate({ description: "Header with the time of sending, in seconds since 1970" }),
  prefix: Schema.optionalKey(prefix.annotate({ description: "Text before the time in its header, such as `t=`" })),
  tolerance: Schema.optionalKey(
    Span.annotate({ description: "How far the time may be from that of the gateway; 5m by default" })
  ),
  signed: Schema.optionalKey(
    Schema.String.check(
      Schema.isMaxLength(100),
      Schema.isPattern(/^[^{}]*\{timestamp\}[^{}]*\{body\}$/, {
        expected: "a text with `{timestamp}` that ends with `{body}`, such as `v0:{timestamp}:{body}`"
      })
    ).annotate({ description: "What the signature is of; `{timestamp}.{body}` by default" })
  )
})

/** How the senders of a webhook sign what they send: HMAC-SHA-256 of the bytes of the body. */
export const Signature = Schema.Struct({
  secret: Schema.String.annotate({ description: "The key, as a reference to a secret of the tenant" }),
  header: headerName.annotate({ description: "Header with the signature, such as X-Hub-Signature-256" }),
  prefix: Schema.optionalKey(
    prefix.annotate({ description: "Text before the signature in its header, such as `sha256=`" })
  ),
  encoding: Schema.optionalKey(
    Schema.Literals(["hex", "base64"]).annotate({ description: "How the signature is written; hex by default" })
  ),
  timestamp: Schema.optionalKey(
    Timestamp.annotate({ description: "Signed with the body, so that what was recorded cannot be sent again later" })
  )
})
export type Signature = typeof Signature.Type

type Headers = Readonly<Record<string, string | undefined>>

const usualTolerance = 5 * 60_000

/** The name of the secret of a signature; undefined when the text is no reference to one. */
export const signatureSecret = ({ secret }: Signature): string | undefined =>
  /^\$\{secret:([A-Z][A-Z0-9_]{0,63})\}$/.exec(secret)?.[1]

/** Signatures that a header may have: senders that change their key send one for each key. */
const mostSignatures = 8

/** What follows the prefix in a header: at its beginning, and after commas and spaces, which separate several values. */
const valuesOf = (text: string, prefix = ""): ReadonlyArray<string> => {
  const literal = prefix.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  const values = text.matchAll(new RegExp(`(?<=^|[, ])${literal}([A-Za-z0-9+/_=-]+)(?=$|[, ])`, "g"))
  return [...values].flatMap(([, value]) => value ?? [])
}

/** What was sent to be checked: possible signatures, and what precedes the body in what they sign. */
interface Signed {
  readonly signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly before: string
}

/** The signatures of a request, before its body is read. Undefined if none of them can be valid at this time. */
export const signedBy = (
  { header, prefix, encoding = "hex", timestamp }: Signature,
  headers: Headers,
  now: number
): Signed | undefined => {
  const signatures = valuesOf(headers[header.toLowerCase()] ?? "", prefix)
    .slice(0, mostSignatures)
    .flatMap((text) => {
      const bytes = Result.getOrUndefined((encoding === "hex" ? Hex : Base64).decode(text))
      return bytes?.length === 32 ? [new Uint8Array(bytes)] : []
    })
  if (signatures.length === 0) return undefined
  if (timestamp === undefined) return { signatures, before: "" }
  const [time = ""] = valuesOf(headers[timestamp.header.toLowerCase()] ?? "", timestamp.prefix)
  const { tolerance, signed = "{timestamp}.{body}" } = timestamp
  const most = tolerance === undefined ? usualTolerance : durationMillis(tolerance)
  if (!/^\d{1,12}$/.test(time) || Math.abs(Number(time) * 1000 - now) > most) return undefined
  return { signatures, before: signed.replace("{body}", "").replace("{timestamp}", time) }
}

/** The bytes that are signed if one of the signatures is valid. The comparison takes the same time for all. */
export const verified = ({ signatures, before }: Signed, secret: string, body: Uint8Array) =>
  Effect.promise(async () => {
    const text = new TextEncoder()
    const hmac = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", text.encode(secret), hmac, false, ["verify"])
    const message = concatBytes([text.encode(before), body])
    const all = await Promise.all(signatures.map((one) => crypto.subtle.verify("HMAC", key, one, message)))
    return all.includes(true) ? message : undefined
  })
