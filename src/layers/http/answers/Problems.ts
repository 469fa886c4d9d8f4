import { IncomingMessage } from "node:http"
import { Cause, Effect, Option } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../../errors/BadRequest.ts"
import { MethodNotAllowed } from "../../../errors/MethodNotAllowed.ts"
import { NotFound } from "../../../errors/NotFound.ts"
import { PreconditionFailed } from "../../../errors/PreconditionFailed.ts"
import { UnsupportedMediaType } from "../../../errors/UnsupportedMediaType.ts"
import type { Authenticator } from "../../../services/access/Authenticator.ts"
import { CurrentRequestId } from "../../../services/shared/requests/RequestId.ts"
import { anonymous, maySee, type Principal } from "../../../services/shared/security/Principal.ts"
import type { Refusals } from "../../../services/shared/security/Refusals.ts"
import type { Tenants } from "../../../services/shared/Tenant.ts"
import { authenticated } from "../guards/Authentication.ts"
import type { browserCheck } from "../guards/Browsers.ts"
import { asProblem, membersOf, traceIds } from "../problems/ProblemBody.ts"
import { pathOf, tenantOf } from "../routes/Paths.ts"
import type { RouteEntry, RouteTable } from "../routes/RouteTable.ts"
import { receivedOf } from "../server/NodeMessages.ts"
import { auditedRefusal } from "./AuditedRefusal.ts"
import { isUnmatched } from "./Revalidation.ts"

type Request = HttpServerRequest.HttpServerRequest

/** HTTP/1.1 requires `Host` (RFC 9112, section 3.2). Node's own response to its absence would have no body. */
const lacksHost = ({ source }: Request): boolean =>
  source instanceof IncomingMessage && source.headers.host === undefined && source.httpVersion === "1.1"

/**
 * Headers that decide who requests what, each with a bit. Of repeated ones Node takes the first, while a proxy may have
 * checked the last.
 */
const singular: ReadonlyMap<string, number> = new Map([
  ["host", 1],
  ["authorization", 2],
  ["x-api-key", 4]
])

/** The name of a header that the request repeats although it must not. */
const repeated = ({ source }: Request): string | undefined => {
  if (!(source instanceof IncomingMessage)) return undefined
  const { rawHeaders } = source
  // Bits instead of a set, because every request passes here.
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    // The names in `singular` have these lengths.
    if (name.length !== 4 && name.length !== 13 && name.length !== 9) continue
    const lower = name.toLowerCase()
    const bit = singular.get(lower) ?? 0
    if ((seen & bit) !== 0) return lower
    seen |= bit
  }
  return undefined
}

/** The content coding of the body, if it has one; coded bodies are not supported. */
const codingOf = ({ method, headers }: Request): string | undefined => {
  const coding = headers["content-encoding"]
  if (coding === undefined || method === "GET" || method === "HEAD" || method === "OPTIONS") return undefined
  const hasBody = (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined
  return hasBody && !/^\s*(identity\s*)?$/i.test(coding) ? coding : undefined
}

const refuseCoded = (coding: string) =>
  Effect.map(
    refuse(
      new UnsupportedMediaType({
        detail: `The body has the content coding ${JSON.stringify(coding)}; send it as it is, without Content-Encoding`
      })
    ),
    // RFC 9110, section 15.5.16.
    HttpServerResponse.setHeader("accept-encoding", "identity")
  )

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"
}

/** The trace id of the request (W3C Trace Context) or of the current span, else a new one. */
const traceIdOf = (request: Request): Effect.Effect<string> =>
  Effect.map(Effect.option(Effect.currentSpan), (span) => {
    if (Option.isSome(span) && span.value.sampled) return span.value.traceId
    const parent = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(request.headers.traceparent ?? "")
    return parent?.[1] ?? crypto.randomUUID().replaceAll("-", "")
  })

const requestIdOf = (request: Request): string => receivedOf(request)?.requestId ?? ""

const refuse = HttpServerRespondable.toResponse
const withoutHost = new BadRequest({ detail: "The request has no Host header" })
const withFragment = new BadRequest({ detail: "The request target has a #, which begins a fragment; write it %23" })
const withNul = new NotFound({ kind: "route", detail: "The path has a NUL (%00), which no name contains" })
const undecodable = new NotFound({
  kind: "route",
  detail: "The path has a % that begins no character in UTF-8; a % itself is written %25"
})

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD"

/** Refuses a read of a state that `If-Match` does not name (RFC 9110, section 13.1.1). */
const whenMatched = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  HttpServerRequest.HttpServerRequest.use((request) =>
    Effect.flatMap(app, (response) => (isUnmatched(request, response) ? refuse(unmatched) : Effect.succeed(response)))
  )
const unmatched = new PreconditionFailed({ detail: "The answer has another tag than If-Match names, or none" })

/**
 * Why a request is refused before its route is known. No name contains NUL: file systems and PostgreSQL would reject
 * it.
 */
const refusalOf = (request: Request, check: ReturnType<typeof browserCheck>) => {
  if (lacksHost(request)) return refuse(withoutHost)
  const twice = repeated(request)
  if (twice !== undefined) return refuse(new BadRequest({ detail: `The request has the header ${twice} twice` }))
  const refusal = check(request.method, request.headers, receivedOf(request)?.forwarded?.host)
  if (refusal !== undefined) return refuse(refusal)
  const coding = codingOf(request)
  if (coding !== undefined) return refuseCoded(coding)
  // The router would read what follows as a query.
  if (request.originalUrl.includes("#")) return refuse(withFragment)
  return request.url.includes("%00") && pathOf(request.url).includes("%00") ? refuse(withNul) : undefined
}

/** What {@link problems} needs. */
interface Surroundings {
  readonly tenants: Tenants["Service"]
  readonly authenticator: Authenticator["Service"]
  readonly refusals: Refusals["Service"]
  readonly table: RouteTable
  readonly check: ReturnType<typeof browserCheck>
}

/** The answer to a request for a path or method that does not exist. */
const absent = Effect.fnUntraced(function* (
  { tenants }: Surroundings,
  request: Request,
  route: RouteEntry | undefined,
  principal: Principal
) {
  if (route === undefined) {
    return yield* refuse(isDecodable(pathOf(request.url)) ? new NotFound({ kind: "route" }) : undecodable)
  }
  const tenant = tenantOf(route.template, pathOf(request.url))
  if (tenant !== undefined) {
    const known = yield* Effect.result(maySee(principal, tenant) ? tenants.exists(tenant) : Effect.succeed(false))
    if (known._tag === "Failure") return yield* refuse(known.failure)
    if (!known.success) return yield* refuse(new NotFound({ kind: "tenant", id: tenant }))
  }
  const allow = [...route.methods].sort()
  const headers = { allow: allow.join(", ") }
  if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers })
  return HttpServerResponse.setHeaders(yield* refuse(new MethodNotAllowed({ allow })), headers)
})

/** Below `/v1` nothing is revealed without credentials. The other paths are the same in every gateway. */
const noRoute = (around: Surroundings, request: Request) => {
  const path = pathOf(request.url)
  const route = around.table.find(path)
  return /^\/v1(\/|$)/.test(route?.template ?? path)
    ? authenticated(around.authenticator, request, (principal) => absent(around, request, route, principal))
    : absent(around, request, route, anonymous)
}

const recover = (
  around: Surroundings,
  request: Request,
  cause: Cause.Cause<unknown>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  isRouteNotFound(cause)
    ? noRoute(around, request)
    : Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) => {
        if (response.status < 500 || Cause.hasFails(cause)) return Effect.succeed(response)
        const logged = Effect.logError(`${request.method} ${pathOf(request.url)}`, cause)
        return Effect.as(Effect.provideService(logged, CurrentRequestId, requestIdOf(request)), response)
      })

/** Sets Content-Length on a response without a body; otherwise it would be sent as an empty chunked body. */
const withLength = (response: HttpServerResponse.HttpServerResponse) =>
  response.body._tag === "Empty" && response.status >= 200 && response.status < 204
    ? HttpServerResponse.setHeader(response, "content-length", "0")
    : response

const finisher =
  ({ table, refusals }: Surroundings) =>
  (response: HttpServerResponse.HttpServerResponse) =>
    response.status < 400
      ? Effect.succeed(withLength(response))
      : HttpServerRequest.HttpServerRequest.use((request) => {
          const problem = membersOf(response)
          const instance = pathOf(request.originalUrl)
          const requestId = requestIdOf(request)
          const refusal = auditedRefusal(table, request, requestId, instance, problem)
          if (refusal !== undefined) refusals.note(refusal)
          return Effect.map(traceIdOf(request), (traceId) => {
            traceIds.set(request.source, traceId)
            return asProblem(response, problem, instance, { traceId, requestId })
          })
        })

/**
 * Turns every response with a status of 400 or above into an RFC 9457 problem with `instance` and `traceId`: declared
 * errors, unknown routes, wrong methods, unreadable bodies and defects. The cause of a defect is only logged.
 */
export const problems =
  (around: Surroundings) =>
  <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const finish = finisher(around)
    const finished = <F, S>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, F, S>) =>
      Effect.matchCauseEffect(app, {
        onSuccess: finish,
        onFailure: (cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : HttpServerRequest.HttpServerRequest.use((request) =>
                Effect.flatMap(recover(around, request, cause), finish)
              )
      })
    // Built once, because every request uses them.
    const answered = finished(httpEffect)
    const matched = finished(whenMatched(httpEffect))
    return HttpServerRequest.HttpServerRequest.use((request) => {
      const refusal = refusalOf(request, around.check)
      if (refusal !== undefined) return Effect.flatMap(refusal, finish)
      return request.headers["if-match"] !== undefined && isRead(request) ? matched : answered
    })
  }
