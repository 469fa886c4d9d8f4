import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Stream } from "effect"
import { Headers, HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { byteChunks } from "../../../services/shared/bytes/ByteChunks.ts"
import { type AcceptedCodings, acceptedCoding, type Coding, compress, compressor } from "./Codings.ts"
import { withVary } from "./Vary.ts"

type Response = HttpServerResponse.HttpServerResponse
type Compressible = HttpBody.Uint8Array | HttpBody.Stream
type Request = HttpServerRequest.HttpServerRequest

/** Bytes below which an answer is sent as it is: it fits into one packet anyway. */
export const leastBytes = 1024

const texts =
  /^(text\/(?!event-stream)[\w.+-]+|application\/(json|x-ndjson|javascript|xml|[\w.-]+\+(json|xml)))\s*(;|$)/i

/**
 * Whether the answer is a text that the gateway generated. Excluded are answers with a secret (`no-store`), because the
 * compressed length could reveal it, and stored files (`Accept-Ranges`), whose length, ranges and tag are those of
 * their bytes.
 */
const isCompressible = ({ status, headers, body }: Response): boolean =>
  status >= 200 &&
  (body._tag === "Uint8Array" || body._tag === "Stream") &&
  status !== 206 &&
  headers["accept-ranges"] === undefined &&
  headers["cache-control"] !== "no-store" &&
  headers["content-encoding"] === undefined &&
  texts.test(headers["content-type"] ?? body.contentType)

/**
 * The tag of an answer in a coding. Its bytes differ from those of the uncompressed answer, so its strong tag has to.
 */
const codedTag = (etag: string, coding: Coding): string => `${etag.slice(0, -1)}-${coding}"`

const withCodedTag = (response: Response, coding: Coding): Response => {
  const { etag } = response.headers
  return etag === undefined ? response : HttpServerResponse.setHeader(response, "etag", codedTag(etag, coding))
}

const codedTags = /-(?:gzip|zstd)"/g
const conditions = ["if-match", "if-none-match"]

/** The request with the codings removed from the tags in its conditions. */
const withPlainTags = (request: Request): Request => {
  const coded = conditions.filter((name) => request.headers[name]?.match(codedTags))
  if (coded.length === 0) return request
  const plain = coded.map((name) => [name, request.headers[name]!.replaceAll(codedTags, '"')] as const)
  return request.modify({ headers: Headers.setAll(request.headers, Object.fromEntries(plain)) })
}

/** A 304 with the tag that the client has sent. */
const notModified = (request: Request, response: Response): Response => {
  const { etag, "accept-ranges": ranges } = response.headers
  if (etag === undefined || ranges !== undefined) return response
  const named = request.headers["if-none-match"] ?? ""
  const known = (["zstd", "gzip"] as const).map((coding) => codedTag(etag, coding)).find((tag) => named.includes(tag))
  const isPlain = known === undefined || named.includes(etag)
  return withVary(isPlain ? response : HttpServerResponse.setHeader(response, "etag", known), "Accept-Encoding")
}

/**
 * The compressed body. A body in memory is compressed as a whole, so that a slow client does not occupy a compressor;
 * streams are compressed as they come.
 */
const coded = (body: Compressible, type: string, coding: Coding): Effect.Effect<Compressible> => {
  if (body._tag === "Uint8Array") {
    return Effect.map(
      Effect.promise(() => compress(coding, body.body)),
      (bytes): Compressible => HttpBody.uint8Array(bytes, type)
    )
  }
  if (body.contentLength === undefined) {
    const compressed = NodeStream.pipeThroughDuplex(body.stream, { evaluate: () => compressor(coding) })
    return Effect.succeed<Compressible>(HttpBody.stream(compressed, type))
  }
  return Stream.runCollect(body.stream).pipe(
    Effect.orDie,
    Effect.flatMap((parts) => Effect.promise(() => compress(coding, Buffer.concat([...parts])))),
    Effect.map((bytes): Compressible => HttpBody.stream(byteChunks(bytes), type, bytes.length))
  )
}

const encoded = (
  request: Request,
  response: Response,
  { coding, identity }: AcceptedCodings
): Effect.Effect<Response> => {
  const { body, headers, status } = response
  if (status === 304) return Effect.succeed(notModified(request, response))
  if (!isCompressible(response) || (body._tag !== "Uint8Array" && body._tag !== "Stream")) {
    return Effect.succeed(response)
  }
  if (identity && body.contentLength !== undefined && body.contentLength < leastBytes) return Effect.succeed(response)
  if (coding === undefined) return Effect.succeed(withVary(response, "Accept-Encoding"))
  const head = withVary(
    HttpServerResponse.setHeader(withCodedTag(response, coding), "content-encoding", coding),
    "Accept-Encoding"
  )
  const type = headers["content-type"] ?? body.contentType
  if (request.method === "HEAD") {
    const none = HttpServerResponse.setBody(HttpServerResponse.removeHeader(head, "content-length"), HttpBody.empty)
    return Effect.succeed(HttpServerResponse.setHeader(none, "content-type", type))
  }
  return Effect.map(coded(body, type, coding), (made) => {
    const whole = HttpServerResponse.setBody(HttpServerResponse.removeHeader(head, "content-length"), made)
    const length = made.contentLength
    return length === undefined ? whole : HttpServerResponse.setHeader(whole, "content-length", String(length))
  })
}

/**
 * Compresses the texts that the gateway generates, if the client asks for it (RFC 9110, section 8.4). A tag names the
 * coding of the answer; conditions may name the tag of any coding, because all of them stand for the same state.
 * `finished` completes an answer before it is compressed.
 */
export const compression = <E, R>(
  app: Effect.Effect<Response, E, R>,
  finished: (request: Request, response: Response) => Response
): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> =>
  HttpServerRequest.HttpServerRequest.use((request) => {
    const plain = withPlainTags(request)
    const answered = plain === request ? app : Effect.provideService(app, HttpServerRequest.HttpServerRequest, plain)
    const accepted = acceptedCoding(request.headers["accept-encoding"])
    return Effect.flatMap(answered, (response) => encoded(request, finished(plain, response), accepted))
  })
