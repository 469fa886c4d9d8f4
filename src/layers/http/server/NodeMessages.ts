import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { HttpServerRequest } from "effect/http"
import type { Meter } from "../../../services/limits/Bucket.ts"
import type { Principal } from "../../../services/shared/security/Principal.ts"
import type { Forwarded } from "./Forwarded.ts"
import { requestIdOf } from "./RequestIds.ts"

/** A request as Node received it, with what the gateway has learned about it. */
export class ReceivedRequest extends IncomingMessage {
  #requestId: string | undefined
  /** What a trusted proxy says about the request; undefined if it came from anyone else. */
  forwarded: Forwarded | undefined

  /** The authenticated principal, once it is known. */
  principal: Principal | undefined

  /** The rates that count the request; the answer reports them. */
  meter: Meter | undefined

  /** The id that the answer returns. */
  get requestId(): string {
    this.#requestId ??= requestIdOf(this.headers["x-request-id"])
    return this.#requestId
  }

  /** Sets the id that the request came with, if the caller has already read its headers. */
  identify(given: string | undefined): void {
    this.#requestId = requestIdOf(given)
  }
}

/** The request as Node received it, unless it is one that a test made. */
export const receivedOf = ({ source }: HttpServerRequest.HttpServerRequest): ReceivedRequest | undefined =>
  source instanceof ReceivedRequest ? source : undefined

/**
 * Headers of every answer. They tell browsers not to guess content types, not to name the gateway's pages as referrer
 * to other sites, and not to embed answers in pages of other sites; pages of `FLOW_CORS` use `fetch`, to which the last
 * one does not apply. Names and values alternate, because Node writes that faster than the members of an object.
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
export class Answer extends ServerResponse<ReceivedRequest> {
  /** Called for the head of every answer. */
  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | Array<OutgoingHttpHeader>,
    given?: OutgoingHttpHeaders | Array<OutgoingHttpHeader>
  ): this {
    const headers = typeof reason === "object" ? reason : given
    if (Array.isArray(headers)) throw new TypeError("An answer's headers are given by name")
    const all = this.additional()
    // Shared caches must not store a read: who may see it depends on credentials, of which RFC 9111 (section 3.5) knows
    // only `Authorization`, not `X-API-Key`. The client's own cache has to revalidate each time, because access may be
    // revoked.
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
