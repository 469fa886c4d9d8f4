import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { Meter } from "../../../services/limits/Bucket.ts"
import { RequestRates } from "../../../services/limits/RequestRates.ts"
import { CurrentPrincipal, maySee } from "../../../services/shared/security/Principal.ts"
import { RequestRate } from "../../../services/shared/security/Security.ts"
import { Tenants } from "../../../services/shared/Tenant.ts"
import { receivedOf } from "../server/NodeMessages.ts"

/** Reports the rates with every answer, also with problems. */
const tell = (context: Context.Context<never>, meter: Meter): void => {
  const received = receivedOf(Context.getUnsafe(context, HttpServerRequest.HttpServerRequest))
  if (received !== undefined) received.meter = meter
}

/** Takes a token of the rates of the request's tenant and principal, or refuses the request. */
export const layer = Layer.effect(
  RequestRate,
  Effect.gen(function* () {
    const rates = yield* RequestRates
    const tenants = yield* Tenants

    // No generator, because every request passes here.
    return (httpEffect) =>
      Effect.withFiber((fiber) => {
        const { context } = fiber
        const { params } = Context.getUnsafe(context, HttpRouter.RouteContext)
        const tenant = params["tenant"] ?? ""
        if (!rates.isLimited(tenant)) return httpEffect
        const principal = Context.get(context, CurrentPrincipal)
        const counted = (meter: Meter) => {
          tell(context, meter)
          return meter.tryTake() ? httpEffect : Effect.andThen(rates.take(meter), httpEffect)
        }
        const known = rates.known(tenant, principal)
        if (known !== undefined) return counted(known)
        if (tenant === "") return counted(rates.meter(tenant, principal))
        // No rate is kept for tenants that do not exist or that the principal may not see: the next check refuses
        // these.
        if (!maySee(principal, tenant)) return httpEffect
        const found = Effect.orElseSucceed(tenants.exists(tenant), () => false)
        return Effect.flatMap(found, (exists) => (exists ? counted(rates.meter(tenant, principal)) : httpEffect))
      })
  })
)
