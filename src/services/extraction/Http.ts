import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { idempotent } from "../http/Idempotency.ts"
import { readJson } from "../http/JsonBody.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Extraction, readExtraction, startedOf } from "./Extraction.ts"

export const ExtractionHttp = HttpApiBuilder.group(
  Api,
  "extraction",
  Effect.fn(function* (handlers) {
    const extraction = yield* Extraction
    const answers = yield* IdempotencyStore
    const { limits } = yield* Settings
    return handlers.handleRaw("extract", ({ params, request }) => {
      const tenant = TenantId(params.tenant)
      const check = (value: unknown) => readExtraction(tenant, value)
      return Effect.flatMap(
        readJson(request, { limit: limits.jsonBody, keepsDigits: ["filters"], check }),
        ({ body, value }) =>
          idempotent(answers, request, tenant, body, (answered) =>
            extraction.extract(
              tenant,
              value,
              answered((started) => ({ body: startedOf(tenant, started) }))
            )
          )
      )
    })
  })
)
