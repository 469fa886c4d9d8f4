import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { readJson } from "../http/JsonBody.ts"
import { jsonText } from "../http/JsonText.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import { pageBytes } from "../shared/reads/Listing.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { readSearch, Searches } from "./Searches.ts"

/** Memory of a search in bytes: the documents as they were read and as text, and small ones beyond the page's end. */
const searchBytes = 4 * pageBytes

/** Members with values of documents. */
const members = ["query", "sort", "search_after", "aggs", "aggregations"]

export const SearchHttp = HttpApiBuilder.group(
  Api,
  "search",
  Effect.fn(function* (handlers) {
    const searches = yield* Searches
    const { limits } = yield* Settings
    return handlers
      .handle("indices", ({ params }) => searches.indices(TenantId(params.tenant)))
      .handle("fields", ({ params }) => searches.fields(TenantId(params.tenant), params.index))
      .handleRaw("search", ({ params, request }) =>
        readJson(request, { limit: limits.jsonBody, keepsDigits: members, check: readSearch }).pipe(
          Effect.flatMap(
            Effect.fnUntraced(function* ({ value }) {
              const tenant = TenantId(params.tenant)
              const held = yield* (yield* RequestMemory).hold(tenant, searchBytes)
              return yield* jsonText(yield* searches.page(tenant, value), held)
            })
          )
        )
      )
      .handle("removeIndex", ({ params, query }) =>
        searches.remove(TenantId(params.tenant), params.index, query.before)
      )
  })
)
