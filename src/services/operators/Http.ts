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
    return handlers.handleRaw("test", ({ params, query, request }) =>
      Effect.map(
        operators.test(
          params.operator,
          (rules) => readForm(request, rules),
          query.tenant === undefined ? undefined : TenantId(query.tenant)
        ),
        (json) => HttpServerResponse.stream(json, { contentType: "application/json" })
      )
    )
  })
)
