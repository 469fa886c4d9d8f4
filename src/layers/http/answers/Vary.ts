import { HttpServerResponse } from "effect/http"

/** The response with a name added to `Vary`, the list of request headers on which it depends. */
export const withVary = (
  response: HttpServerResponse.HttpServerResponse,
  name: string
): HttpServerResponse.HttpServerResponse => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(response, "vary", vary === undefined ? name : `${vary}, ${name}`)
}
