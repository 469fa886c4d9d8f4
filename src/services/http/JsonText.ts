import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Held } from "../shared/RequestMemory.ts"

/** Memory of a list that is streamed, in bytes: a portion of it as it was read, and as it is sent. */
export const listBytes = 3 * 1024 * 1024

/** Size of the pieces in which a large text is sent. */
const pieceBytes = 64 * 1024

/**
 * A JSON text as a response. A large one is sent in pieces, each when the client has taken those before it: then the
 * request lasts until all is sent, and so does the memory that it holds.
 */
export const jsonText = (
  text: string,
  held: Held,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => {
  const contentType = "application/json"
  if (text.length <= pieceBytes) {
    held.change(text.length)
    return HttpServerResponse.text(text, { contentType, headers })
  }
  const bytes = new TextEncoder().encode(text)
  held.change(bytes.length)
  const pieces = Stream.unfold(0, (at) =>
    Effect.succeed(at >= bytes.length ? undefined : ([bytes.subarray(at, at + pieceBytes), at + pieceBytes] as const))
  )
  return HttpServerResponse.stream(pieces, { contentType, contentLength: bytes.length, headers })
}
