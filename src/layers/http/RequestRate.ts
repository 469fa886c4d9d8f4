import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpRouter, HttpServerResponse } from "effect/http"
import { type Meter, RequestRates } from "../../services/limits/RequestRates.ts"
import { CurrentPrincipal, maySee } from "../../services/shared/Access.ts"
import { RequestRate } from "../../services/shared/Security.ts"
import { Tenants } from "../../services/shared/Tenant.ts"

/** Tells the rates with every answer, also with problems. */
const tell = (context: Context.Context<never>, meter: Meter): void =>
  HttpEffect.appendPreResponseHandlerUnsafe(context, (_, response) =>
    Effect.succeed(
      HttpServerResponse.setHeaders(response, {
        ratelimit: meter.map(({ remaining }) => remaining).join(", "),
        "ratelimit-policy": meter.map(({ policy }) => policy).join(", ")
      })
    )
  )

/** Takes a token of the rates of the request's tenant and principal, or refuses the request. */
export const layer = Layer.effect(
  RequestRate,
  Effect.gen(function* () {
    const rates = yield* RequestRates
    const tenants = yield* Tenants
    const none: Meter = []

    // No generator, because every request passes here.
    return (httpEffect) =>
      Effect.withFiber((fiber) => {
        const { context } = fiber
        const { params } = Context.getUnsafe(context, HttpRouter.RouteContext)
        const tenant = params["tenant"] ?? ""
        if (!rates.isLimited(tenant)) return httpEffect
        const principal = Context.get(context, CurrentPrincipal)
        const counted = (meter: Meter) => {
          if (meter.length === 0) return httpEffect
          tell(context, meter)
          return rates.tryTake(meter) ? httpEffect : Effect.andThen(rates.take(meter), httpEffect)
        }
        const known = rates.known(tenant, principal)
        if (known !== undefined) return counted(known)
        if (tenant === "") return counted(rates.meter(tenant, principal))
        // Nothing is kept for tenants that do not exist, or not for this principal: they are told so next.
        if (!maySee(principal, tenant)) return httpEffect
        const found = Effect.matchEffect(tenants.exists(tenant), {
          onFailure: () => Effect.succeed(none),
          onSuccess: (exists) => Effect.succeed(exists ? rates.meter(tenant, principal) : none)
        })
        return Effect.flatMap(found, counted)
      })
  })
)
