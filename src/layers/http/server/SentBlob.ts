import { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Chunks, openerOf } from "../../../drivers/blobs/Chunks.ts"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"

/**
 * Resolves when the kernel has the bytes. Rejects when the client has disconnected; the kernel may still read them
 * then.
 */
const written = (response: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      response.off("close", left)
      signal.removeEventListener("abort", left)
      if (error == null) resolve()
      else reject(error)
    }
    const left = () => settle(new Error("the answer has been given up"))
    response.once("close", left)
    signal.addEventListener("abort", left)
    response.write(chunk, settle)
  })

/** Sends the chunks as fast as the client takes them, and reuses the memory of each. */
const send = async (response: ServerResponse, open: () => Promise<Chunks>, signal: AbortSignal): Promise<void> => {
  const chunks = await open()
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      if (response.destroyed || signal.aborted) return
      await written(response, chunk, signal)
      chunks.release?.(chunk)
    }
  } finally {
    chunks.close()
  }
}

/**
 * Answers with a blob by writing its chunks to the connection directly. The returned stream has no elements; it only
 * tells the server whether sending ended, failed or was interrupted.
 */
const direct = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  { contentType, contentLength }: HttpBody.Stream,
  open: () => Promise<Chunks>
): HttpServerResponse.HttpServerResponse => {
  const connection = NodeHttpServerRequest.toServerResponse(request)
  if (!(connection instanceof ServerResponse)) return response
  const sent = Effect.tryPromise({
    try: (signal) => send(connection, open, signal),
    catch: () => new StorageUnreachable({ storage: "data" })
  })
  const body = HttpBody.stream(Stream.fromEffectDrain(sent), contentType, contentLength)
  return HttpServerResponse.setBody(response, body)
}

/** Lets an application answer with blobs that are sent without a stream between storage and connection. */
export const sendingBlobs = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(app, (response) => {
    const { body } = response
    const open = body._tag === "Stream" ? openerOf(body.stream) : undefined
    if (body._tag !== "Stream" || open === undefined) return Effect.succeed(response)
    return HttpServerRequest.HttpServerRequest.use((request) => Effect.succeed(direct(request, response, body, open)))
  })
