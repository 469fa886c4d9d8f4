import { isIP } from "node:net"
import { BadRequest } from "../../../errors/BadRequest.ts"
import { ForeignOrigin } from "../../../errors/ForeignOrigin.ts"
import { MisdirectedRequest } from "../../../errors/MisdirectedRequest.ts"

/** The headers of a request, by lower-case name. */
type Headers = Readonly<Record<string, string | undefined>>

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/** The host of `host[:port]`, in lower case and without the brackets of an IPv6 address. */
const nameOf = (authority: string): string =>
  authority
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase()

/** Whether a page at the URL has sent its request to this host: browsers omit the usual port, and proxies may add it. */
export const isHostOf = ({ protocol, host: named }: URL, host: string | undefined): boolean =>
  host?.toLowerCase().replace(protocol === "https:" ? /:443$/ : /:80$/, "") === named

/** `uri-host [":" port]` (RFC 9110, section 7.2), or nothing. */
const wellFormed = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

/**
 * Makes the check against web pages that use the gateway through a visitor's browser. It returns the error to answer
 * with, or undefined. Accepted host names are `listening`, those of `hosts`, `localhost` and other names without a dot,
 * which no site of the internet has, and IP addresses: a page cannot make its own name resolve to the gateway under any
 * of them (DNS rebinding). The host that a trusted proxy names is checked too, and is the one that an origin is
 * compared with. Pages of `hosts` on any port, and pages of `origins`, may call the gateway.
 */
export const browserCheck = (listening: string, hosts: ReadonlyArray<string>, origins: ReadonlyArray<string> = []) => {
  const known = new Set(hosts.map(nameOf))
  const listed = new Set(origins)
  const isKnown = (name: string) =>
    known.has(name) ||
    name === nameOf(listening) ||
    !name.includes(".") ||
    name.endsWith(".localhost") ||
    isIP(name) !== 0

  /** The last accepted host: nearly all requests name the same one. */
  let last: string | undefined
  const faultOf = (host: string | undefined): BadRequest | MisdirectedRequest | undefined => {
    if (host === undefined || host === last) return undefined
    if (!wellFormed.test(host)) {
      return new BadRequest({ detail: `The Host header ${JSON.stringify(host)} is no host with or without a port` })
    }
    if (!isKnown(nameOf(host))) {
      return new MisdirectedRequest({
        detail: `This gateway does not answer for the host ${JSON.stringify(host)}; FLOW_HOSTS can name it`
      })
    }
    last = host
    return undefined
  }

  const isForeign = (origin: string, host: string | undefined): boolean => {
    // "null" stands for sandboxed frames, files and redirects across sites.
    const url = URL.parse(origin)
    if (url === null) return true
    return !isHostOf(url, host) && !known.has(nameOf(url.host))
  }

  return (
    method: string,
    headers: Headers,
    forwardedHost: string | undefined
  ): BadRequest | ForeignOrigin | MisdirectedRequest | undefined => {
    const { origin } = headers
    const host = forwardedHost ?? headers["host"]
    // Both are checked: a proxy that does not know X-Forwarded-Host passes on whatever a page has sent.
    const fault = faultOf(headers["host"]) ?? faultOf(forwardedHost)
    if (fault !== undefined) return fault
    if (safeMethods.has(method) || (origin !== undefined && listed.has(origin))) return undefined
    if (headers["sec-fetch-site"] === "cross-site") {
      return new ForeignOrigin({ detail: "A page of another site may not change anything here" })
    }
    if (origin === undefined || !isForeign(origin, host)) return undefined
    return new ForeignOrigin({
      detail: `A page of ${JSON.stringify(origin)} may not change anything here; FLOW_CORS or FLOW_HOSTS can allow it`
    })
  }
}
