import { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Chunks, openerOf } from "../../drivers/blobs/Chunks.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

/** Settles when the kernel has the bytes. Rejects when the client has left; the kernel may still read them then. */
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

/** Sends chunk after chunk, as fast as the client takes them, and uses the memory of each again. */
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
 * Sends an answer that is nothing but a blob by writing its chunks to the connection. Its stream has no elements of its
 * own: that it ends, fails or is interrupted means for the server what it means for any other.
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

/** Lets what an application answers with blobs be sent without a stream between the storage and the connection. */
export const sendingBlobs = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(app, (response) => {
    const { body } = response
    const open = body._tag === "Stream" ? openerOf(body.stream) : undefined
    if (body._tag !== "Stream" || open === undefined) return Effect.succeed(response)
    return HttpServerRequest.HttpServerRequest.use((request) => Effect.succeed(direct(request, response, body, open)))
  })
