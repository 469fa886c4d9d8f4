import { Effect, type Scope, Stream } from "effect"
import { type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import { cacheControl, names } from "../shared/reads/EntityTag.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { isOther, parseDate, type State, seconds } from "./Preconditions.ts"

// Characters that need no escaping in an ext-value (attr-char of RFC 8187).
const attrChar = /[A-Za-z0-9!#$&+.^_`|~-]/

const percentEncoded = (name: string): string =>
  [...new TextEncoder().encode(name)]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return byte < 128 && attrChar.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

/**
 * Control characters, path separators, and characters that change the writing direction: with one of these, `exe.txt`
 * may look like `txt.exe`.
 */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069/\\]/g

/**
 * The header value for any file name (RFC 6266). Unsafe characters become `_`. A name that is not plain ASCII is sent a
 * second time in UTF-8 (RFC 8187).
 */
export const contentDisposition = (type: "attachment" | "inline", filename: string): string => {
  const name = filename.toWellFormed().replace(unsafe, "_") || "download"
  // Readers disagree on how to escape quotes, and some of them decode `%`.
  const ascii = name.replace(/[^\x20-\x7e]|["%]/gu, "_")
  return ascii === name
    ? `${type}; filename="${ascii}"`
    : `${type}; filename="${ascii}"; filename*=UTF-8''${percentEncoded(name)}`
}

const single = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))$/i

/**
 * Parses a `Range` header for `size` bytes (RFC 9110, section 14.2): a part, the `whole`, or `unsatisfiable`. A
 * malformed header or an unknown unit is ignored, as the RFC requires. Several ranges are answered with the whole,
 * which the RFC allows.
 */
export const byteRange = (header: string, size: number): ByteSpan | "whole" | "unsatisfiable" => {
  const match = single.exec(header.trim())
  if (match === null) return "whole"
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    const length = Number(suffix)
    if (length === 0) return "unsatisfiable"
    // The last bytes of an empty file are satisfiable, but `Content-Range` cannot express an empty range.
    return size === 0 ? "whole" : { start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  const end = last === "" ? size : Number(last) + 1
  if (end <= start && last !== "") return "whole"
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size) }
}

/** The state of a file. Its tag is the SHA-256 in hex, or another version. */
interface Representation extends State {
  /** In bytes. */
  readonly size: number
}

/** The decision how to answer a request for a file. */
type Decision =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Part"; readonly span: ByteSpan }
  | { readonly _tag: "NotModified" }
  | { readonly _tag: "PreconditionFailed" }
  | { readonly _tag: "Unsatisfiable" }

type Request = Pick<HttpServerRequest.HttpServerRequest, "method" | "headers">

// A date is trusted only when it is equal: it cannot show a later change within the same second.
const isCurrent = (ifRange: string, { etag, lastModified }: Representation): boolean =>
  ifRange.trim().startsWith('"') || ifRange.trim().startsWith("W/")
    ? names(ifRange, etag, false)
    : lastModified !== undefined && parseDate(ifRange) === seconds(lastModified)

/** Evaluates the preconditions in the order of RFC 9110, section 13.2.2. `Range` applies to GET only. */
export const decide = ({ method, headers }: Request, file: Representation): Decision => {
  const modified = file.lastModified === undefined ? undefined : seconds(file.lastModified)
  const modifiedSince = parseDate(headers["if-modified-since"])

  if (isOther(headers, file)) return { _tag: "PreconditionFailed" }
  if (headers["if-none-match"] !== undefined) {
    if (names(headers["if-none-match"], file.etag, true)) return { _tag: "NotModified" }
  } else if (modifiedSince !== undefined && modified !== undefined && modified <= modifiedSince) {
    return { _tag: "NotModified" }
  }
  const { range, "if-range": ifRange } = headers
  if (range === undefined || method !== "GET") return { _tag: "Whole" }
  if (ifRange !== undefined && !isCurrent(ifRange, file)) return { _tag: "Whole" }
  const span = byteRange(range, file.size)
  if (span === "whole") return { _tag: "Whole" }
  return span === "unsatisfiable" ? { _tag: "Unsatisfiable" } : { _tag: "Part", span }
}

/**
 * Memory of a download in bytes, whose client may not read: a chunk that is being sent and one that was read in advance.
 * What an S3 storage sends is collected in pieces before it becomes a chunk.
 */
const downloadBytes = { disk: 1024 * 1024, s3: 2 * 1024 * 1024 }

/**
 * An active page or image of a tenant runs no scripts and sends no forms. It keeps its origin, because others may not
 * embed the pictures of the gateway that it shows.
 */
const inlinePolicy = "sandbox allow-same-origin; frame-ancestors 'self'"

interface Download<E, R> extends Representation {
  readonly tenant: TenantId
  readonly request: HttpServerRequest.HttpServerRequest
  readonly filename: string
  readonly contentType: string
  readonly disposition: "attachment" | "inline"
  /** Opens the bytes of the span, in chunks of 512 KiB. Not called when the answer has no body. */
  readonly read: (span: ByteSpan) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnreachable>, E, R>
  /** Fails where `read` would, without opening anything: what a HEAD asks, which has no body. */
  readonly present?: Effect.Effect<void, E, R>
}

/**
 * Answers a GET or HEAD of a stored file with 200, 206, 304, 412 or 416, according to the conditions and the range of
 * the request, or with 503 when there is no memory for it. The file is opened before the status is sent. When reading
 * fails later, the connection is closed, so that a client cannot mistake a part for the whole.
 */
export const download = <E, R>(
  file: Download<E, R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | Overloaded | PreconditionFailed,
  R | RequestMemory | Scope.Scope | Settings
> => {
  const { request, size, lastModified, contentType } = file
  const headers = {
    etag: `"${file.etag}"`,
    ...(lastModified === undefined ? {} : { "last-modified": lastModified.toUTCString() }),
    "cache-control": cacheControl,
    "accept-ranges": "bytes"
  }
  const send = Effect.fnUntraced(function* (status: number, span: ByteSpan, extra: Record<string, string>) {
    const isEmpty = request.method === "HEAD" || span.end === span.start
    if (!isEmpty) {
      const { blobs } = yield* Settings
      yield* (yield* RequestMemory).hold(file.tenant, Math.min(span.end - span.start, downloadBytes[blobs.kind]))
    }
    if (request.method === "HEAD" && file.present !== undefined) yield* file.present
    const body = isEmpty ? Stream.empty : yield* file.read(span)
    return HttpServerResponse.stream(body, {
      status,
      contentType,
      contentLength: span.end - span.start,
      headers: {
        ...headers,
        ...extra,
        "content-disposition": contentDisposition(file.disposition, file.filename),
        ...(file.disposition === "inline" ? { "content-security-policy": inlinePolicy } : {})
      }
    })
  })
  const decision = decide(request, file)
  switch (decision._tag) {
    case "Whole":
      return send(200, { start: 0, end: size }, {})
    case "Part": {
      const { start, end } = decision.span
      return send(206, decision.span, { "content-range": `bytes ${start}-${end - 1}/${size}` })
    }
    case "NotModified":
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
    case "PreconditionFailed":
      return Effect.fail(new PreconditionFailed({ detail: "The file has another version than the condition names" }))
    case "Unsatisfiable":
      // A declared error carries no headers, and a 416 needs `Content-Range`.
      return Effect.map(HttpServerRespondable.toResponse(new RangeNotSatisfiable({ size })), (response) =>
        HttpServerResponse.setHeaders(response, { ...headers, "content-range": `bytes */${size}` })
      )
  }
}
