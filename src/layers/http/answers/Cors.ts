import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { exposedHeaders, requestHeaders } from "../../../services/shared/openapi/DescribedHeaders.ts"
import type { browserCheck } from "../guards/Browsers.ts"
import { receivedOf } from "../server/NodeMessages.ts"
import { withVary } from "./Vary.ts"

/** The headers of a request, by lower-case name. */
type Headers = Readonly<Record<string, string | Array<string> | undefined>>

/**
 * The headers that let a page of a listed origin read every answer; empty for other origins. Without `FLOW_AUTH` the
 * browser may send credentials, such as the password that a proxy has asked for. With it these would include the
 * session's cookie, which is for the gateway's own pages only.
 */
export const corsHeaders = (origins: ReadonlyArray<string>, auth: string | undefined) => {
  const listed = new Set(origins)
  const exposed = exposedHeaders.join(", ")
  return ({ origin }: Headers): Readonly<Record<string, string>> =>
    typeof origin === "string" && listed.has(origin)
      ? {
          "access-control-allow-origin": origin,
          ...(auth === undefined && { "access-control-allow-credentials": "true" }),
          "access-control-expose-headers": exposed
        }
      : {}
}

/** Seconds for which a browser may keep the answer to a preflight; the longest that any of them does. */
const maxAge = "86400"

const preflight = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
  "access-control-allow-headers": [
    ...Object.keys(requestHeaders),
    ...["Authorization", "Content-Type", "Traceparent", "X-API-Key"]
  ].join(", "),
  "access-control-max-age": maxAge
}

/** Needed in addition by pages of the internet, because the gateway listens on a loopback address. */
const privateNetwork = (headers: Headers): Readonly<Record<string, string>> =>
  headers["access-control-request-private-network"] === "true" ? { "access-control-allow-private-network": "true" } : {}

/**
 * Lets pages of the origins use the gateway (WHATWG Fetch, CORS protocol). A preflight succeeds for every path, known
 * or not, so that the page can see the problem that answers its real request. Other origins get no header.
 */
export const cors = (
  origins: ReadonlyArray<string>,
  auth: string | undefined,
  check: ReturnType<typeof browserCheck>
) => {
  const headersFor = corsHeaders(origins, auth)
  return <E, R>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
    HttpServerRequest.HttpServerRequest.use((request) => {
      const { method, headers } = request
      const granted = headersFor(headers)
      const isPreflight = method === "OPTIONS" && headers["access-control-request-method"] !== undefined
      if (
        isPreflight &&
        "access-control-allow-origin" in granted &&
        check(method, headers, receivedOf(request)?.forwarded?.host) === undefined
      ) {
        const all = { ...granted, ...preflight, ...privateNetwork(headers) }
        return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { ...all, vary: "Origin" } }))
      }
      // A cache must not reuse an answer for another origin, or for none.
      return Effect.map(app, (response) => withVary(HttpServerResponse.setHeaders(response, granted), "Origin"))
    })
}
