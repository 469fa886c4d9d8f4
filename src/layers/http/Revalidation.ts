import { hash } from "node:crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { tagged } from "../../services/shared/EntityTag.ts"

/**
 * Gives a read that is answered with a JSON text the SHA-256 of it as its tag, so that whatever changes in an answer
 * changes the tag, and any gateway of an installation gives the same one. The link to the next page is part of it. What
 * has a tag already, or may not be stored, is left as it is.
 */
export const revalidated = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  if (request.method !== "GET" && request.method !== "HEAD") return response
  const { body, headers, status } = response
  if (status !== 200 || body._tag !== "Uint8Array" || headers["content-type"] !== "application/json") return response
  if (headers["etag"] !== undefined || headers["cache-control"] !== undefined) return response
  const digest = hash("sha256", body.text ?? body.body, "hex")
  const { link, vary } = headers
  const answer = tagged(request, link === undefined ? digest : hash("sha256", digest + link, "hex"), () => response)
  return vary === undefined ? answer : HttpServerResponse.setHeader(answer, "vary", vary)
}
