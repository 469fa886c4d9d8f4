import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { CurrentPrincipal } from "../shared/security/Principal.ts"
import { TenantId } from "../shared/Tenant.ts"
import { LimitUsage } from "./LimitUsage.ts"

export const LimitsHttp = HttpApiBuilder.group(
  Api,
  "limits",
  Effect.fn(function* (handlers) {
    const usage = yield* LimitUsage
    return handlers.handle("limits", ({ params }) =>
      Effect.flatMap(CurrentPrincipal, (principal) => usage.of(TenantId(params.tenant), principal))
    )
  })
)
