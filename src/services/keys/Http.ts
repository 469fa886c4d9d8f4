import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { readJson } from "../http/JsonBody.ts"
import { listResponse } from "../http/Paging.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { KeyId } from "./ApiKey.ts"
import { Keys, readKey } from "./Keys.ts"

export const KeysHttp = HttpApiBuilder.group(
  Api,
  "keys",
  Effect.fn(function* (handlers) {
    const keys = yield* Keys
    const { limits } = yield* Settings
    return (
      handlers
        // An `Idempotency-Key` has no meaning here: the answer that it repeats would keep the secret in the database.
        .handleRaw("create", ({ params, request }) =>
          readJson(request, { limit: limits.jsonBody, check: readKey }).pipe(
            Effect.flatMap(({ value }) => keys.create(TenantId(params.tenant), value)),
            Effect.map((made) =>
              HttpServerResponse.jsonUnsafe(made, { status: 201, headers: { "cache-control": "no-store" } })
            )
          )
        )
        .handleRaw("list", ({ params, query }) =>
          listResponse("keys", TenantId(params.tenant), query, (span) => keys.list(TenantId(params.tenant), span))
        )
        .handle("revoke", ({ params }) => keys.revoke(TenantId(params.tenant), KeyId(params.id)))
    )
  })
)
