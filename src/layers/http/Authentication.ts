import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Authenticator } from "../../services/access/Authenticator.ts"
import { CurrentPrincipal } from "../../services/shared/Access.ts"
import { Authentication } from "../../services/shared/Security.ts"
import { principals } from "./Noted.ts"

/**
 * Authenticates by whatever credentials the request has. Effect tries the schemes in turn; the first one answers for all
 * of them, so that each credential is checked once, and a refusal is not followed by further attempts.
 */
export const layer = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const { authenticate } = yield* Authenticator
    const check = <A, E, R>(httpEffect: Effect.Effect<A, E, R>) =>
      HttpServerRequest.HttpServerRequest.use(({ headers, source }) =>
        Effect.flatMap(authenticate(headers), (principal) => {
          principals.set(source, principal)
          return Effect.provideService(httpEffect, CurrentPrincipal, principal)
        })
      )
    return { basic: check, bearer: check, key: check }
  })
)
