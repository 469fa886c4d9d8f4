import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Authenticator, isResolved, type Refusal } from "../../../services/access/Authenticator.ts"
import { CurrentRequestId } from "../../../services/shared/requests/RequestId.ts"
import { CurrentPrincipal, type Principal } from "../../../services/shared/security/Principal.ts"
import { Authentication } from "../../../services/shared/security/Security.ts"
import { receivedOf } from "../server/NodeMessages.ts"
import { isOfOwnPage } from "./OwnPage.ts"
import { usesSession, withoutCookie } from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = HttpServerResponse.HttpServerResponse

/** The answer to an unauthenticated request, with what the client can do about it. */
export const refusal = (
  authenticator: Authenticator["Service"],
  request: Request,
  error: Refusal
): Effect.Effect<Answer> =>
  Effect.map(HttpServerRespondable.toResponse(error), (response) => {
    if (error._tag === "Unauthorized") {
      const refused = HttpServerResponse.setHeader(response, "www-authenticate", authenticator.challenge(request))
      const { session } = authenticator
      // Only the gateway's own pages may end the session: another site must not be able to log the user out.
      return session !== undefined && usesSession(request, session) && isOfOwnPage(request)
        ? withoutCookie(refused, request, session)
        : refused
    }
    return error._tag === "LimitExceeded" ? HttpServerResponse.setHeader(response, "retry-after", "1") : response
  })

/** Authenticates the request, and runs `answer` with its principal as the current one. */
export const authenticated = <E, R>(
  authenticator: Authenticator["Service"],
  request: Request,
  answer: (principal: Principal) => Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, E, R> => {
  const received = receivedOf(request)
  const admit = (principal: Principal): Effect.Effect<Answer, E, R> => {
    if (received === undefined) return Effect.provideService(answer(principal), CurrentPrincipal, principal)
    received.principal = principal
    return Effect.updateContext(answer(principal), (context: Context.Context<R>) =>
      Context.add(Context.add(context, CurrentPrincipal, principal), CurrentRequestId, received.requestId)
    )
  }
  if (received?.principal !== undefined) return admit(received.principal)
  const found = authenticator.authenticate(request)
  // Most credentials are known already, and every request passes here.
  if (isResolved(found)) return admit(found.value)
  return Effect.matchEffect(found, {
    onSuccess: admit,
    onFailure: (error) => refusal(authenticator, request, error)
  })
}

/** Authenticates requests by any kind of credentials. */
export const layer = Layer.effect(
  Authentication,
  Effect.map(
    Authenticator,
    (authenticator) => (httpEffect) =>
      HttpServerRequest.HttpServerRequest.use((request) => authenticated(authenticator, request, () => httpEffect))
  )
)
