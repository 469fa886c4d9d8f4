import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { readJson } from "../http/JsonBody.ts"
import { Settings } from "../shared/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Searches } from "./Searches.ts"

export const SearchHttp = HttpApiBuilder.group(
  Api,
  "search",
  Effect.fn(function* (handlers) {
    const searches = yield* Searches
    const { limits } = yield* Settings
    return handlers
      .handle("indices", ({ params }) => searches.indices(TenantId(params.tenant)))
      .handleRaw("search", ({ params, request }) =>
        readJson(request, limits.jsonBody).pipe(
          Effect.flatMap(({ value }) => searches.page(TenantId(params.tenant), value)),
          Effect.map((page) => HttpServerResponse.text(page, { contentType: "application/json" }))
        )
      )
      .handle("removeIndex", ({ params, query }) =>
        searches.remove(TenantId(params.tenant), params.index, query.before)
      )
  })
)
