import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { exposedHeaders, requestHeaders } from "../../services/shared/Headers.ts"
import type { browserCheck } from "./Browsers.ts"
import { forwardedHost } from "./Problems.ts"
import { withVary } from "./Vary.ts"

/** The headers of a request, by lower-case name. */
type Headers = Readonly<Record<string, string | Array<string> | undefined>>

/**
 * What a page of a listed origin is told with every answer: that it may read it, and with which headers. Empty for
 * others. Without `FLOW_AUTH` the browser may send what it knows of the user, such as the password that a proxy has asked
 * for. With it, that would be the cookie of a session, which is for the gateway's own pages only.
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

/** A page of the internet needs this besides, because the gateway listens on a loopback address. */
const privateNetwork = (headers: Headers): Readonly<Record<string, string>> =>
  headers["access-control-request-private-network"] === "true" ? { "access-control-allow-private-network": "true" } : {}

/**
 * Lets pages of the origins use the gateway (WHATWG Fetch, CORS protocol). A preflight is answered for every path, known
 * or not: the page is to see the problem that answers its request. Others get no header and are refused as ever.
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
        check(method, headers, forwardedHost(request)) === undefined
      ) {
        const all = { ...granted, ...preflight, ...privateNetwork(headers) }
        return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { ...all, vary: "Origin" } }))
      }
      // Caches must not hand an answer for one origin, or for none, to another.
      return Effect.map(app, (response) => withVary(HttpServerResponse.setHeaders(response, granted), "Origin"))
    })
}
