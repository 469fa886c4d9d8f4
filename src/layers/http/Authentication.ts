import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Authenticator, type Refusal } from "../../services/access/Authenticator.ts"
import { anonymous, CurrentPrincipal, type Principal } from "../../services/shared/Access.ts"
import { isKnown } from "../../services/shared/Known.ts"
import { CurrentRequestId } from "../../services/shared/RequestId.ts"
import { Authentication } from "../../services/shared/Security.ts"
import { Received } from "./NodeMessages.ts"
import { isOfOwnPage } from "./OwnPage.ts"
import { usesSession, withoutCookie } from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = HttpServerResponse.HttpServerResponse

/** The answer to a request that is not authenticated, with what the client can do about it. */
export const refusal = (
  authenticator: Authenticator["Service"],
  request: Request,
  error: Refusal
): Effect.Effect<Answer> =>
  Effect.map(HttpServerRespondable.toResponse(error), (response) => {
    if (error._tag === "Unauthorized") {
      const refused = HttpServerResponse.setHeader(response, "www-authenticate", authenticator.challenge(request))
      const { session } = authenticator
      // A page of others is not to take the session away.
      return session !== undefined && usesSession(request, session) && isOfOwnPage(request)
        ? withoutCookie(refused, request, session)
        : refused
    }
    return error._tag === "LimitExceeded" ? HttpServerResponse.setHeader(response, "retry-after", "1") : response
  })

/**
 * Notes who sends a request whose credential was verified a short time ago, before Effect looks at the request. The
 * credential goes, which spares its decoding: that would take twice as long as all of the check.
 */
export const recognized = <E, R>(
  authenticator: Authenticator["Service"],
  httpEffect: Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, E, R | Request> =>
  HttpServerRequest.HttpServerRequest.use((request) => {
    const { source } = request
    if (!(source instanceof Received)) return httpEffect
    const { headers } = source
    if (headers.authorization === undefined && headers["x-api-key"] === undefined) return httpEffect
    const found = authenticator.authenticate(request, headers)
    if (isKnown(found) && found.value !== anonymous) {
      source.principal = found.value
      headers[headers.authorization === undefined ? "x-api-key" : "authorization"] = undefined
    }
    return httpEffect
  })

/** Answers by `answer` once it is known who sends the request, which becomes the current principal. */
export const authenticated = <E, R>(
  authenticator: Authenticator["Service"],
  request: Request,
  answer: (principal: Principal) => Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, E, R> => {
  const admit = (principal: Principal): Effect.Effect<Answer, E, R> => {
    const { source } = request
    if (!(source instanceof Received)) return Effect.provideService(answer(principal), CurrentPrincipal, principal)
    source.principal = principal
    return Effect.updateContext(answer(principal), (context: Context.Context<R>) =>
      Context.add(Context.add(context, CurrentPrincipal, principal), CurrentRequestId, source.requestId)
    )
  }
  const { source } = request
  if (source instanceof Received && source.principal !== undefined) return admit(source.principal)
  const found = authenticator.authenticate(request)
  // Most credentials are known already, and every request passes here.
  if (isKnown(found)) return admit(found.value)
  return Effect.matchEffect(found, {
    onSuccess: admit,
    onFailure: (error) => refusal(authenticator, request, error)
  })
}

/**
 * Authenticates by whatever credentials the request has. Effect tries the declared schemes in turn until one succeeds,
 * and a refusal is a success here: each request is checked once, by the first one.
 */
export const layer = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const authenticator = yield* Authenticator
    const check = <E, R>(httpEffect: Effect.Effect<Answer, E, R>) =>
      HttpServerRequest.HttpServerRequest.use((request) => authenticated(authenticator, request, () => httpEffect))
    return { basic: check, bearer: check, key: check }
  })
)
