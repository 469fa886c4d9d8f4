import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { CurrentPrincipal, maySee } from "../../../services/shared/security/Principal.ts"
import { KnownTenant, Tenants } from "../../../services/shared/Tenant.ts"
import { withoutFaultyQuery } from "./RequestDecoding.ts"

/**
 * Checks the tenant of the path before the request is decoded, so that a request for an unknown tenant reveals nothing
 * else.
 */
export const layer = Layer.effect(
  KnownTenant,
  Effect.gen(function* () {
    const tenants = yield* Tenants
    const noRoute = Effect.fail(new NotFound({ kind: "route" }))
    // No generator, because every request passes here.
    const check = Effect.withFiber<void, NotFound | StorageUnreachable>(({ context }) => {
      const { params } = Context.getUnsafe(context, HttpRouter.RouteContext)
      const tenant = params["tenant"] ?? ""
      // Checked first, so that the response time does not reveal whether a hidden tenant exists.
      if (!maySee(Context.get(context, CurrentPrincipal), tenant)) {
        return Effect.fail(new NotFound({ kind: "tenant", id: tenant }))
      }
      return Effect.flatMap(tenants.exists(tenant), (known) => {
        if (!known) return Effect.fail(new NotFound({ kind: "tenant", id: tenant }))
        for (const name in params) if (params[name]?.includes("\u0000")) return noRoute
        return Effect.void
      })
    })
    return (httpEffect, { endpoint }) => Effect.andThen(check, withoutFaultyQuery(httpEffect, endpoint))
  })
)
