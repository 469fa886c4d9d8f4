import { HttpServerResponse } from "effect/http"

/** The response with a header of the request added to those that have selected it. */
export const withVary = (
  response: HttpServerResponse.HttpServerResponse,
  name: string
): HttpServerResponse.HttpServerResponse => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(response, "vary", vary === undefined ? name : `${vary}, ${name}`)
}
