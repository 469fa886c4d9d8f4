import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Meter } from "../../services/limits/Bucket.ts"
import type { Principal } from "../../services/shared/Access.ts"
import type { Forwarded } from "./Forwarded.ts"
import { requestIdOf } from "./RequestIds.ts"

/** A request as Node has received it, with what the gateway knows of it besides. */
export class Received extends IncomingMessage {
  #requestId: string | undefined
  /** What a trusted proxy says of the request; undefined for a request of anybody else. */
  forwarded: Forwarded | undefined

  /** Who has sent it, once that is known. */
  principal: Principal | undefined

  /** The rates that count it, which its answer tells. */
  meter: Meter | undefined

  /** The id that the answer returns. */
  get requestId(): string {
    this.#requestId ??= requestIdOf(this.headers["x-request-id"])
    return this.#requestId
  }

  /** Says which id the request came with, for who has read its headers already. */
  identify(given: string | undefined): void {
    this.#requestId = requestIdOf(given)
  }
}

/**
 * What every answer has besides. Browsers take nothing for another type than it has, tell no other site where their
 * reader came from, and embed nothing of the gateway into pages of other sites; pages of `FLOW_CORS` use `fetch`, to
 * which the last one does not apply. Names and values in turn, which Node writes faster than the members of an object.
 */
export const commonHeaders = (requestId: string): Array<OutgoingHttpHeader> => [
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
  "cross-origin-resource-policy",
  "same-origin",
  "x-request-id",
  requestId
]

/**
 * Node sends a response in one write when it has the whole of it, but not when it must check the body against
 * Content-Length, which Effect requests for every response. For a text that ends the response the check is superfluous,
 * because the length was taken from the text. Two writes instead of one take 6 % more processor time for a small
 * request.
 */
export class Answer extends ServerResponse<Received> {
  /** Every head comes through here. */
  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | Array<OutgoingHttpHeader>,
    given?: OutgoingHttpHeaders | Array<OutgoingHttpHeader>
  ): this {
    const headers = typeof reason === "object" ? reason : given
    if (Array.isArray(headers)) throw new TypeError("An answer's headers are given by name")
    const all = this.additional()
    // Caches of others must not store a read: who may see it depends on credentials, of which RFC 9111 (section 3.5)
    // knows only `Authorization`, and not `X-API-Key`. The client's own cache asks each time: access may be revoked.
    const { method, meter } = this.req
    if ((method === "GET" || method === "HEAD") && headers?.["cache-control"] === undefined) {
      all.push("cache-control", "private, no-cache")
    }
    if (meter !== undefined) all.push("ratelimit", meter.ratelimit, "ratelimit-policy", meter.policy)
    for (const name in headers) {
      const value = headers[name]
      if (value !== undefined) all.push(name, value)
    }
    return typeof reason === "string" ? super.writeHead(status, reason, all) : super.writeHead(status, all)
  }

  protected additional(): Array<OutgoingHttpHeader> {
    return commonHeaders(this.req.requestId)
  }

  override end(...args: ReadonlyArray<unknown>): this {
    if (typeof args[0] === "string") this.strictContentLength = false
    return Reflect.apply(super.end, this, args)
  }
}

/** An answer over TLS. */
export class SecureAnswer extends Answer {
  protected override additional(): Array<OutgoingHttpHeader> {
    const headers = super.additional()
    // Browsers are to use nothing but TLS for a year (RFC 6797).
    headers.push("strict-transport-security", "max-age=31536000")
    return headers
  }
}
