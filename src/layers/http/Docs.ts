import { Effect, Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"

const path = "/docs"

/**
 * `/docs`: the API's description to browse. Made when it is asked for the first time, as what browsers need for it is
 * megabytes of text.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const scope = yield* Effect.scope
      const made = HttpRouter.toHttpEffect(HttpApiScalar.layer(api, { path })).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
      // The first who asks may go away: the others are not to hear of it.
      const page = yield* Effect.cached(Effect.uninterruptible(made))
      yield* router.add("GET", path, Effect.flatten(page))
    })
  )
