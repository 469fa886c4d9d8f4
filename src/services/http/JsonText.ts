import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { byteChunks, chunkBytes } from "../shared/bytes/ByteChunks.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import type { Held } from "../shared/capacity/RequestMemory.ts"
import { tagged } from "../shared/reads/EntityTag.ts"

/** Memory of a list that is streamed, in bytes: two portions as they were read, one as it is sent, and its compressor. */
export const listBytes = 3.5 * 1024 * 1024

/** JSON texts with commas between them, after `head` and before `end`, in bytes. */
export const jsonArray = <E>(
  texts: Stream.Stream<{ readonly json: string }, E>,
  head: string,
  end: string
): Stream.Stream<Uint8Array, E> => {
  let separator = ""
  const items = Stream.mapArray(texts, (chunk) => {
    const text = separator + chunk.map(({ json }) => json).join(",")
    separator = ","
    return [text]
  })
  return Stream.make(head).pipe(Stream.concat(items), Stream.concat(Stream.make(end)), Stream.encodeText)
}

const encoder = new TextEncoder()

/** A JSON text that can be answered to several requests: a small one as text, a large one as bytes with their digest. */
export type PreparedText =
  | { readonly _tag: "Small"; readonly text: string; readonly link: string | undefined }
  | {
      readonly _tag: "Large"
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly link: string | undefined
      readonly digest: string | undefined
    }

const prepare = (text: string, held: Held, link: string | undefined, isRead: boolean): Effect.Effect<PreparedText> => {
  if (text.length <= chunkBytes) {
    held.change(text.length)
    return Effect.succeed({ _tag: "Small", text, link })
  }
  // The tag is of the text and of the link to the next page. Both are hashed as one, because each call has its cost.
  const withLink = encoder.encode(text + (link ?? ""))
  const bytes = withLink.subarray(0, withLink.length - encoder.encode(link).length)
  held.change(withLink.length)
  const digest = isRead ? hexDigest(withLink) : Effect.undefined
  return Effect.map(digest, (digest) => ({ _tag: "Large", bytes, link, digest }))
}

/** Makes the text of a read ready to be sent, also to several requests that share the memory that it holds. */
export const readText = (text: string, held: Held, link: string | undefined): Effect.Effect<PreparedText> =>
  prepare(text, held, link, true)

/** A text as the answer to a request. */
export const textResponse = (
  request: HttpServerRequest.HttpServerRequest,
  prepared: PreparedText
): HttpServerResponse.HttpServerResponse => {
  const contentType = "application/json"
  const headers = prepared.link === undefined ? {} : { link: prepared.link }
  if (prepared._tag === "Small") return HttpServerResponse.text(prepared.text, { contentType, headers })
  const { bytes, digest } = prepared
  const response = HttpServerResponse.stream(byteChunks(bytes), { contentType, contentLength: bytes.length, headers })
  return digest === undefined ? response : tagged(request, digest, () => response)
}

/**
 * A JSON text as a response. A large one is sent in pieces, each when the client has taken those before it: then the
 * request lasts until all is sent, and so does the memory that it holds. In a read, a large one has a tag of its own;
 * small ones get theirs with all other answers.
 */
export const jsonText = (
  text: string,
  held: Held
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  HttpServerRequest.HttpServerRequest.use((request) =>
    Effect.map(prepare(text, held, undefined, request.method !== "POST"), (prepared) => textResponse(request, prepared))
  )
