import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { invalidBody } from "../../../errors/BadRequest.ts"
import { TooLarge } from "../../../errors/TooLarge.ts"
import { ByteBuffer } from "./ByteBuffer.ts"

/**
 * The whole body of a request in memory. `TooLarge` of the limit `jsonBody` as soon as it has more bytes than `limit`;
 * `BadRequest` when it breaks off.
 */
export const wholeBody = Effect.fnUntraced(function* (
  { stream }: Pick<HttpServerRequest.HttpServerRequest, "stream">,
  limit: number
) {
  const bytes = new ByteBuffer()
  yield* Stream.runForEach(stream, (chunk) => {
    bytes.append(chunk)
    return bytes.length > limit ? Effect.fail(new TooLarge({ limit: "jsonBody", value: limit })) : Effect.void
  }).pipe(Effect.catchTag("HttpServerError", () => invalidBody("The body is incomplete")))
  return bytes.value
})
