import { hash } from "node:crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { names, tagged } from "../../../services/shared/reads/EntityTag.ts"

const digestOf = ({ body, headers: { link } }: HttpServerResponse.HttpServerResponse): string | undefined => {
  if (body._tag !== "Uint8Array") return undefined
  const digest = hash("sha256", body.text ?? body.body, "hex")
  return link === undefined ? digest : hash("sha256", digest + link, "hex")
}

/** Whether the `If-Match` of a read is not `*` and does not name the tag of its answer, which may have none. */
export const isUnmatched = (
  { headers: asked }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): boolean => {
  const named = asked["if-match"]
  if (named === undefined || named.trim() === "*" || response.status !== 200) return false
  const etag = response.headers["etag"]?.slice(1, -1) ?? digestOf(response)
  return etag === undefined || !names(named, etag, false)
}

/**
 * Tags a read's JSON answer with the text's SHA-256. Thus any change of the answer changes the tag, and all gateways of
 * an installation give the same one. The link to the next page is included. Answers that already have a tag, or that
 * may not be stored, stay as they are.
 */
export const revalidated = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  if (request.method !== "GET" && request.method !== "HEAD") return response
  const { body, headers, status } = response
  if (status !== 200 || body._tag !== "Uint8Array" || headers["content-type"] !== "application/json") return response
  if (headers["etag"] !== undefined || headers["cache-control"] !== undefined) return response
  const { vary } = headers
  const answer = tagged(request, digestOf(response) ?? "", () => response)
  return vary === undefined ? answer : HttpServerResponse.setHeader(answer, "vary", vary)
}
