import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { byteRange } from "./ByteRange.ts"
import { contentDisposition } from "./ContentDisposition.ts"

/** The state of a file that conditional requests are held against. */
export interface Representation {
  /** Bytes. */
  readonly size: number
  /** The content of the strong `ETag`, without its quotes: the SHA-256 in hex, or any other version. */
  readonly etag: string
  readonly lastModified?: Date
}

/** How a request for a file is answered. */
export type Decision =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Part"; readonly span: ByteSpan }
  | { readonly _tag: "NotModified" }
  | { readonly _tag: "PreconditionFailed" }
  | { readonly _tag: "Unsatisfiable" }

type Request = Pick<HttpServerRequest.HttpServerRequest, "method" | "headers">

const entityTag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Whether the list names the tag; weak ones count only where `weak` comparison is asked for (RFC 9110, 8.8.3.2). */
export const names = (list: string, etag: string, weak: boolean): boolean =>
  list.trim() === "*" || [...list.matchAll(entityTag)].some((tag) => tag[2] === etag && (weak || tag[1] === undefined))

// HTTP dates have whole seconds.
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
const parseDate = (header: string | undefined): number | undefined => {
  const parsed = header === undefined ? Number.NaN : Date.parse(header)
  return Number.isNaN(parsed) ? undefined : parsed / 1000
}

// A change within the second of the date cannot be seen, so a date is trusted only when it is equal.
const isCurrent = (ifRange: string, { etag, lastModified }: Representation): boolean =>
  ifRange.trim().startsWith('"') || ifRange.trim().startsWith("W/")
    ? names(ifRange, etag, false)
    : lastModified !== undefined && parseDate(ifRange) === seconds(lastModified)

/** The order of RFC 9110, section 13.2.2. `Range` has a meaning for GET only. */
export const decide = ({ method, headers }: Request, file: Representation): Decision => {
  const modified = file.lastModified === undefined ? undefined : seconds(file.lastModified)
  const unmodifiedSince = parseDate(headers["if-unmodified-since"])
  const modifiedSince = parseDate(headers["if-modified-since"])

  if (headers["if-match"] !== undefined) {
    if (!names(headers["if-match"], file.etag, false)) return { _tag: "PreconditionFailed" }
  } else if (unmodifiedSince !== undefined && modified !== undefined && modified > unmodifiedSince) {
    return { _tag: "PreconditionFailed" }
  }
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

export interface Download<E, R> extends Representation {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly filename: string
  readonly contentType: string
  readonly disposition: "attachment" | "inline"
  /** Opens the bytes of the span, in chunks of 512 KiB. Not called when the answer has no body. */
  readonly read: (span: ByteSpan) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnreachable>, E, R>
}

/**
 * The answer to GET or HEAD of a stored file: 200, 206, 304, 412 or 416, as the request's conditions and range have
 * it. The bytes are open before the status is sent; when they fail after it, the connection breaks, so that a client
 * never takes a part for the whole.
 */
export const download = <E, R>(
  file: Download<E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E | PreconditionFailed, R> => {
  const { request, size, lastModified, contentType } = file
  const headers = {
    etag: `"${file.etag}"`,
    ...(lastModified === undefined ? {} : { "last-modified": lastModified.toUTCString() }),
    // Kept by the client alone, and asked for again each time: who may read it can change.
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes"
  }
  const send = Effect.fnUntraced(function* (status: number, span: ByteSpan, extra: Record<string, string>) {
    const body = request.method === "HEAD" || span.end === span.start ? Stream.empty : yield* file.read(span)
    return HttpServerResponse.stream(body, {
      status,
      contentType,
      contentLength: span.end - span.start,
      headers: {
        ...headers,
        ...extra,
        "content-disposition": contentDisposition(file.disposition, file.filename),
        "x-content-type-options": "nosniff",
        // A page or picture of a tenant must not act in the gateway's name in somebody's browser.
        ...(file.disposition === "inline" ? { "content-security-policy": "sandbox" } : {})
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
      return Effect.fail(new PreconditionFailed({}))
    case "Unsatisfiable":
      // An error that an endpoint declares carries no headers, and this one is of no use without `Content-Range`.
      return Effect.map(HttpServerRespondable.toResponse(new RangeNotSatisfiable({ size })), (response) =>
        HttpServerResponse.setHeaders(response, { ...headers, "content-range": `bytes */${size}` })
      )
  }
}
