import { Context, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Authenticator } from "../../../services/access/Authenticator.ts"
import { RequestRates } from "../../../services/limits/RequestRates.ts"
import { Settings } from "../../../services/shared/settings/Settings.ts"
import { browserCheck } from "../guards/Browsers.ts"
import type { Fixed, RouteTable } from "../routes/RouteTable.ts"
import { type Answer, ReceivedRequest } from "../server/NodeMessages.ts"
import { plainHeaders } from "../server/PlainHeaders.ts"
import { leastBytes } from "./Compression.ts"

/** An answer that was sent before. */
interface Known extends Fixed {
  readonly headers: Record<string, string>
  readonly body: string
}

/** The answers that stay the same while the gateway runs. */
export interface FixedAnswers {
  /**
   * Sends the answer to a plain request if it is known and the request may have it; returns whether it did. Every other
   * request has to go through the routes, which give the reason for a refusal.
   */
  readonly send: (request: ReceivedRequest, response: Answer) => boolean
  /** Remembers the effect's answer, if it is a fixed one for the request. */
  readonly learning: <E, R>(
    request: HttpServerRequest.HttpServerRequest,
    answered: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
}

/** The default, for a gateway without the server that sends them: learns none. */
export const FixedAnswers = Context.Reference<FixedAnswers>("flow/http/FixedAnswers", {
  defaultValue: () => ({ send: () => false, learning: (_, answered) => answered })
})

/**
 * A fiber, the router and the services around a handler take half of the processor time of a small request. An answer
 * that never changes needs none of them. The first one goes through the routes; after that it is sent from memory,
 * after the same checks of host, credentials, role and rate.
 */
export const fixedAnswers = Effect.fnUntraced(function* (table: RouteTable) {
  const { host, hosts, cors, otlp } = yield* Settings
  const authenticator = yield* Authenticator
  const rates = yield* RequestRates
  const check = browserCheck(host, hosts, cors)
  const known = new Map<string, Known>()
  // With a receiver of traces each request needs its span, so nothing is learned.
  const unknown = new Map(otlp === undefined ? table.fixed : [])

  const send: FixedAnswers["send"] = (request, response) => {
    const answer = known.get(request.url ?? "")
    if (answer === undefined || request.method !== "GET") return false
    const plain = plainHeaders(request.rawHeaders)
    if (plain === undefined || check("GET", plain, request.forwarded?.host) !== undefined) return false
    const { permits, headers, body } = answer
    if (permits !== undefined) {
      const principal = authenticator.known?.(plain)
      if (principal === undefined || !permits(principal)) return false
      if (rates.isLimited("")) {
        request.meter = rates.known("", principal)
        if (request.meter?.tryTake() !== true) return false
      }
    }
    request.identify(plain["x-request-id"])
    response.writeHead(200, headers).end(body)
    return true
  }

  const learn = (
    url: string,
    fixed: Fixed,
    { status, headers, cookies, body }: HttpServerResponse.HttpServerResponse
  ) => {
    // A longer answer depends on the codings that the client takes.
    const text = body._tag === "Uint8Array" && body.contentLength < leastBytes ? body.text : undefined
    if (status !== 200 || text === undefined || Object.keys(cookies.cookies).length > 0) return
    known.set(url, { ...fixed, headers: { ...headers }, body: text })
    unknown.delete(url)
  }

  const learning: FixedAnswers["learning"] = (request, answered) => {
    if (unknown.size === 0) return answered
    const { source, method } = request
    const url = source instanceof ReceivedRequest ? (source.url ?? "") : ""
    const fixed = unknown.get(url)
    if (fixed === undefined || method !== "GET" || !(source instanceof ReceivedRequest)) return answered
    if (plainHeaders(source.rawHeaders) === undefined) return answered
    return Effect.tap(answered, (response) => Effect.sync(() => learn(url, fixed, response)))
  }

  return { send, learning } satisfies FixedAnswers
})
