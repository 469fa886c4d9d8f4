import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Forbidden } from "../../../errors/Forbidden.ts"
import { TenantSuspended } from "../../../errors/TenantSuspended.ts"
import { TenantRules } from "../../../services/limits/TenantRules.ts"
import { ForEveryTenant, NeededRole } from "../../../services/shared/requests/EndpointAnnotations.ts"
import {
  CurrentPrincipal,
  everyTenant,
  hasRoleFor,
  type Principal
} from "../../../services/shared/security/Principal.ts"
import { Authorization } from "../../../services/shared/security/Security.ts"
import { TenantId } from "../../../services/shared/Tenant.ts"

/**
 * Checks the role that an endpoint needs. Endpoints without a tenant need it for any tenant, or for every one; an
 * endpoint that declares no role is refused to everybody. For a suspended tenant only reads are served: what viewers
 * may do, and every `GET`.
 */
export const layer = Layer.effect(
  Authorization,
  Effect.map(TenantRules, (rules) => (httpEffect, { endpoint }) => {
    const role = Context.get(endpoint.annotations, NeededRole)
    if (role === undefined) return Effect.fail(new Forbidden({ role: "none", detail: "Nobody may use this endpoint" }))
    const overall = Context.get(endpoint.annotations, ForEveryTenant) ? everyTenant : undefined
    const onlyReads = role === "viewer" || endpoint.method === "GET"
    const refusalOf = (principal: Principal, tenant: string | undefined): Forbidden | TenantSuspended | undefined => {
      const of = tenant ?? overall
      if (hasRoleFor(principal, of, role)) {
        if (tenant === undefined || onlyReads || !rules.isSuspended(TenantId(tenant))) return undefined
        return new TenantSuspended({ tenant })
      }
      const where = of === undefined ? "" : ` for the tenant ${JSON.stringify(of)}`
      return new Forbidden({ role, detail: `This needs the role ${role}${where}` })
    }
    // No generator, because every request passes here.
    const check = Effect.withFiber<void, Forbidden | TenantSuspended>(({ context }) => {
      const { params } = Context.getUnsafe(context, HttpRouter.RouteContext)
      const refusal = refusalOf(Context.get(context, CurrentPrincipal), params["tenant"])
      return refusal === undefined ? Effect.void : Effect.fail(refusal)
    })
    return Effect.andThen(check, httpEffect)
  })
)
