import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { invalidBody } from "../../errors/BadRequest.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { readJsonBytes } from "../../languages/document/JsonRequest.ts"
import { ByteBuffer } from "../shared/bytes/ByteBuffer.ts"
import { digestFault } from "./Digest.ts"

/** `application/json`, or a type with the suffix `+json`. Other types are what web pages can send without being asked. */
const isJson = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i

/**
 * Reads a JSON body and returns its bytes and its value. Numbers that JavaScript would round are represented by their
 * digits as text. Fails with `BadRequest` when the body is missing, not JSON or has a key twice, or has another digest than its
 * header says.
 */
export const readJson = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, limit: number) {
  const body = yield* readBody(request, limit)
  if (body.length === 0) return yield* invalidBody("A JSON body is required")
  return { body, value: yield* jsonOf(request, body) }
})

/** {@link readJson} of a body that may be missing: its value is `null` then. */
export const readOptionalJson = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
) {
  const body = yield* readBody(request, limit)
  return { body, value: body.length === 0 ? null : yield* jsonOf(request, body) }
})

const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, limit: number) {
  const bytes = new ByteBuffer()
  yield* Stream.runForEach(request.stream, (chunk) => {
    bytes.append(chunk)
    return bytes.length > limit ? Effect.fail(new TooLarge({ limit: "jsonBody", value: limit })) : Effect.void
  }).pipe(Effect.catchTag("HttpServerError", () => invalidBody("The body is incomplete")))
  const body = bytes.value.slice()
  const fault = yield* digestFault(request.headers, body)
  return fault === undefined ? body : yield* invalidBody(fault)
})

const jsonOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  body: Uint8Array<ArrayBuffer>
) {
  const type = request.headers["content-type"]
  if (type !== undefined && !isJson.test(type)) {
    return yield* new UnsupportedMediaType({
      detail: `The body has the media type ${JSON.stringify(type)}; send it with Content-Type: application/json`
    })
  }
  return yield* Effect.mapError(Effect.fromResult(readJsonBytes(body)), ({ detail, ...position }) =>
    invalidBody(detail, position)
  )
})
