import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { receivedOf } from "../server/NodeMessages.ts"

/** Gives a request that came through a trusted proxy the client's address and scheme; returns others unchanged. */
export const withClientAddress = (
  request: HttpServerRequest.HttpServerRequest
): HttpServerRequest.HttpServerRequest => {
  const forwarded = receivedOf(request)?.forwarded
  if (forwarded === undefined) return request
  const { client, protocol } = forwarded
  return request.modify({ remoteAddress: Option.some(client), ...(protocol && { protocol }) })
}
