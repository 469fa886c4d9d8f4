import { hash } from "node:crypto"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { tagged } from "../../services/shared/EntityTag.ts"

/**
 * Gives reads that are answered with a JSON text the SHA-256 of it as their tag, so that whatever changes in an answer
 * changes the tag, and any gateway of an installation gives the same one. The link to the next page is part of it. What
 * has a tag already, or may not be stored, is left as it is.
 */
export const revalidation = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  HttpServerRequest.HttpServerRequest.use((request) =>
    request.method === "GET" || request.method === "HEAD"
      ? Effect.map(app, (response) => {
          const { body, headers, status } = response
          if (status !== 200 || body._tag !== "Uint8Array" || headers["content-type"] !== "application/json") {
            return response
          }
          if (headers["etag"] !== undefined || headers["cache-control"] !== undefined) return response
          const text = body.text ?? body.body
          const { link } = headers
          const digest = hash("sha256", text, "hex")
          return tagged(request, link === undefined ? digest : hash("sha256", digest + link, "hex"), () => response)
        })
      : app
  )
