import { Effect } from "effect"
import * as Hex from "effect/encoding/Hex"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { tagged } from "../shared/EntityTag.ts"
import { pieceBytes, pieces } from "../shared/Pieces.ts"
import type { Held } from "../shared/RequestMemory.ts"

/** Memory of a list that is streamed, in bytes: two portions as they were read, one as it is sent, and its compressor. */
export const listBytes = 3.5 * 1024 * 1024

const encoder = new TextEncoder()

/** The SHA-256 of the bytes and of the link to the next page, in hex. It is made beside the event loop. */
const digestOf = (bytes: Uint8Array<ArrayBuffer>, link = "") =>
  Effect.promise(async () => {
    const body = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    const both = new Uint8Array([...body, ...encoder.encode(link)])
    return Hex.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", both)))
  })

/**
 * A JSON text as a response. A large one is sent in pieces, each when the client has taken those before it: then the
 * request lasts until all is sent, and so does the memory that it holds. In a read, a large one has a tag of its own;
 * small ones get theirs with all other answers.
 */
export const jsonText = (
  text: string,
  held: Held,
  headers: { readonly link?: string } = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  HttpServerRequest.HttpServerRequest.use((request) => {
    const contentType = "application/json"
    if (text.length <= pieceBytes) {
      held.change(text.length)
      return Effect.succeed(HttpServerResponse.text(text, { contentType, headers }))
    }
    const bytes = encoder.encode(text)
    held.change(bytes.length)
    const response = HttpServerResponse.stream(pieces(bytes), { contentType, contentLength: bytes.length, headers })
    return request.method === "POST"
      ? Effect.succeed(response)
      : Effect.map(digestOf(bytes, headers.link), (digest) => tagged(request, digest, () => response))
  })
