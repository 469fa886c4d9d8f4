import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Authenticator, type Refusal } from "../../services/access/Authenticator.ts"
import { CurrentPrincipal, type Principal } from "../../services/shared/Access.ts"
import { Authentication } from "../../services/shared/Security.ts"
import { Received } from "./NodeMessages.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = HttpServerResponse.HttpServerResponse

/** The answer to a request that is not authenticated, with what the client can do about it. */
const refusal = (authenticator: Authenticator["Service"], request: Request, error: Refusal): Effect.Effect<Answer> =>
  Effect.map(HttpServerRespondable.toResponse(error), (response) => {
    if (error._tag === "Unauthorized") {
      return HttpServerResponse.setHeader(response, "www-authenticate", authenticator.challenge(request))
    }
    return error._tag === "LimitExceeded" ? HttpServerResponse.setHeader(response, "retry-after", "1") : response
  })

/** Answers by `answer` once it is known who sends the request, which becomes the current principal. */
export const authenticated = <E, R>(
  authenticator: Authenticator["Service"],
  request: Request,
  answer: (principal: Principal) => Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, E, R> =>
  Effect.matchEffect(authenticator.authenticate(request), {
    onSuccess: (principal) => {
      if (request.source instanceof Received) request.source.principal = principal
      return Effect.provideService(answer(principal), CurrentPrincipal, principal)
    },
    onFailure: (error) => refusal(authenticator, request, error)
  })

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
