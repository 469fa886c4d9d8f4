import { TLSSocket } from "node:tls"
import type { HttpServerRequest } from "effect/http"
import { ForeignOrigin } from "../../../errors/ForeignOrigin.ts"
import { Unauthorized } from "../../../errors/Unauthorized.ts"
import { receivedOf } from "../server/NodeMessages.ts"
import { isHostOf } from "./Browsers.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A header that a form cannot send, and that a script of another origin can only send if the gateway allowed it. */
export const pageHeader = "x-requested-with"

/** The host and port that the browser requested. */
export const hostOf = (request: Request): string | undefined =>
  (receivedOf(request)?.forwarded?.host ?? request.headers["host"])?.toLowerCase()

/** The scheme that the browser used, as far as the gateway or a trusted proxy knows; else undefined. */
export const schemeOf = (request: Request): "http" | "https" | undefined => {
  const received = receivedOf(request)
  return received?.forwarded?.protocol ?? (received?.socket instanceof TLSSocket ? "https" : undefined)
}

/** Whether the browser has used TLS: its page says so where a proxy that is not trusted does. */
export const isSecure = (request: Request): boolean =>
  schemeOf(request) === "https" || request.headers["origin"]?.startsWith("https://") === true

const isSafe = ({ method }: Request): boolean => method === "GET" || method === "HEAD"

/** A stream that stays open holds a connection of the reader's browser. */
const isStream = ({ headers }: Request): boolean => /event-stream|ndjson/i.test(headers["accept"] ?? "")

const isOwnOrigin = (request: Request, origin: string): boolean => {
  const url = URL.parse(origin)
  const scheme = schemeOf(request)
  return url !== null && isHostOf(url, hostOf(request)) && (scheme === undefined || url.protocol === `${scheme}:`)
}

/**
 * Whether a page of the gateway itself sent the request. The cookie does not prove it, because browsers also send it
 * for other sites' pages. Browsers show it by `Sec-Fetch-Site` (over TLS and on loopback) or by `Origin`. `none`, an
 * address that the user entered or opened, counts for reads only.
 */
export const isOfOwnPage = (request: Request): boolean => {
  const { "sec-fetch-site": site, origin, [pageHeader]: own } = request.headers
  if (site !== undefined) return site === "same-origin" || (site === "none" && isSafe(request))
  if (origin !== undefined) return isOwnOrigin(request, origin)
  return own !== undefined || (isSafe(request) && !isStream(request))
}

const detail = "A session counts for requests of the gateway's own pages only"

/**
 * The refusal of a request from another site's page. Its cookie is ignored, so a read is treated as one without
 * credentials.
 */
export const foreignPage = (request: Request): ForeignOrigin | Unauthorized =>
  isSafe(request) ? new Unauthorized({ detail }) : new ForeignOrigin({ detail })

/**
 * Whether this request may begin a login: it must come from one of the gateway's own pages or from an address that the
 * user opened. Another site could otherwise log the user in as its own user.
 */
export const mayBeginLogin = ({ headers }: Request): boolean => {
  const site = headers["sec-fetch-site"]
  return site === undefined || site === "same-origin" || site === "none"
}
