import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Forbidden } from "../../errors/Forbidden.ts"
import {
  CurrentPrincipal,
  everyTenant,
  ForEveryTenant,
  hasRole,
  hasRoleAnywhere,
  NeededRole
} from "../../services/shared/Access.ts"
import { Authorization } from "../../services/shared/Security.ts"

/**
 * Endpoints without a tenant need their role for any tenant, or for every one; those without a role are refused for
 * everybody.
 */
export const layer = Layer.succeed(Authorization, (httpEffect, { endpoint }) => {
  const role = Context.get(endpoint.annotations, NeededRole)
  if (role === undefined) return Effect.fail(new Forbidden({ role: "none", detail: "Nobody may use this endpoint" }))
  const overall = Context.get(endpoint.annotations, ForEveryTenant) ? everyTenant : undefined
  const may = Effect.flatMap(CurrentPrincipal, (principal) =>
    HttpRouter.RouteContext.use(({ params }) => {
      const tenant = params["tenant"] ?? overall
      if (tenant === undefined ? hasRoleAnywhere(principal, role) : hasRole(principal, tenant, role)) return Effect.void
      const where = tenant === undefined ? "" : ` for the tenant ${JSON.stringify(tenant)}`
      return Effect.fail(new Forbidden({ role, detail: `This needs the role ${role}${where}` }))
    })
  )
  return Effect.andThen(may, httpEffect)
})
