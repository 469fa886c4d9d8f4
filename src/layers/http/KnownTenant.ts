import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../errors/NotFound.ts"
import { KnownTenant, Tenants } from "../../services/shared/Tenant.ts"

/** Looks the tenant of the path up before the request is decoded: nothing is told about what an unknown one sends. */
export const layer = Layer.effect(
  KnownTenant,
  Effect.gen(function* () {
    const tenants = yield* Tenants
    const noRoute = Effect.fail(new NotFound({ kind: "route" }))
    // On the path of every request, hence no generator.
    const check = HttpRouter.RouteContext.use(({ params }) =>
      Effect.flatMap(tenants.exists(params["tenant"] ?? ""), (known) => {
        if (!known) return Effect.fail(new NotFound({ kind: "tenant", id: params["tenant"] ?? "" }))
        for (const name in params) if (params[name]?.includes("\u0000")) return noRoute
        return Effect.void
      })
    )
    return (httpEffect) => Effect.andThen(check, httpEffect)
  })
)
