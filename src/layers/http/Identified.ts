import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Received } from "./NodeMessages.ts"

/** A request through a trusted proxy with the address of the client and the scheme that it has used; others as they are. */
export const identified = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const { source } = request
  if (!(source instanceof Received) || source.forwarded === undefined) return request
  const { client, protocol } = source.forwarded
  return request.modify({ remoteAddress: Option.some(client), ...(protocol && { protocol }) })
}
