import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { readForm } from "../http/FormReader.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Operators } from "./Operators.ts"

export const OperatorsHttp = HttpApiBuilder.group(
  Api,
  "operators",
  Effect.fn(function* (handlers) {
    const operators = yield* Operators
    const tenantOf = ({ tenant }: { readonly tenant?: string }) => (tenant === undefined ? undefined : TenantId(tenant))
    return handlers
      .handleRaw("test", ({ params, query, request }) =>
        Effect.map(
          operators.test(params.operator, (rules) => readForm(request, rules), tenantOf(query)),
          (json) => HttpServerResponse.stream(json, { contentType: "application/json" })
        )
      )
      .handle("patterns", ({ query }) => operators.patterns(query.ecsCompatibility ?? "disabled", tenantOf(query)))
      .handleRaw("propose", ({ query, request }) =>
        Effect.map(Effect.scoped(operators.propose((rules) => readForm(request, rules), tenantOf(query))), (json) =>
          HttpServerResponse.text(json, { contentType: "application/json" })
        )
      )
  })
)
