import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { readJson } from "../http/JsonBody.ts"
import { untaggedState } from "../http/Preconditions.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Secrets, valueOf } from "./Secrets.ts"

export const SecretsHttp = HttpApiBuilder.group(
  Api,
  "secrets",
  Effect.fn(function* (handlers) {
    const secrets = yield* Secrets
    const { limits } = yield* Settings
    return (
      handlers
        .handle("list", ({ params }) => secrets.list(TenantId(params.tenant)))
        // Read here, because the message of a schema's issue would contain the value.
        .handleRaw("put", ({ params, request }) =>
          readJson(request, { limit: limits.jsonBody, check: valueOf }).pipe(
            Effect.flatMap(({ value }) =>
              secrets.put(TenantId(params.tenant), params.name, value, untaggedState(request))
            ),
            Effect.as(HttpServerResponse.empty({ status: 204 }))
          )
        )
        .handle("remove", ({ params, request }) =>
          secrets.remove(TenantId(params.tenant), params.name, untaggedState(request))
        )
    )
  })
)
