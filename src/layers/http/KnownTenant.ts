import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../errors/NotFound.ts"
import { KnownTenant, Tenants } from "../../services/shared/Tenant.ts"

/** Looks the tenant of the path up before the request is decoded: nothing is told about what an unknown one sends. */
export const layer = Layer.effect(
  KnownTenant,
  Effect.gen(function* () {
    const tenants = yield* Tenants
    return (httpEffect) =>
      Effect.gen(function* () {
        const { params } = yield* HttpRouter.RouteContext
        const tenant = params["tenant"] ?? ""
        if (!(yield* tenants.exists(tenant))) return yield* new NotFound({ kind: "tenant" })
        if (Object.values(params).some((name) => name?.includes("\u0000")))
          return yield* new NotFound({ kind: "route" })
        return yield* httpEffect
      })
  })
)
