import { Effect, Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"

const path = "/docs"

/**
 * `/docs`: an interactive page of the API description. It is built on the first request because it contains megabytes
 * of text for browsers.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const scope = yield* Effect.scope
      const made = HttpRouter.toHttpEffect(HttpApiScalar.layer(api, { path })).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
      // The first client may disconnect; that must not fail the others that wait.
      const page = yield* Effect.cached(Effect.uninterruptible(made))
      yield* router.add("GET", path, Effect.flatten(page))
    })
  )
