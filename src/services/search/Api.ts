import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { ChangesNothing, NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { queryText, text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { Index, IndexFields, SearchPage, SearchRequest } from "./SearchRequest.ts"

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("indices", "/v1/:tenant/indices", {
      params: tenantParams,
      success: Schema.Array(Index),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's indices, ordered by name"),
    HttpApiEndpoint.post("search", "/v1/:tenant/search", {
      params: tenantParams,
      payload: SearchRequest,
      success: SearchPage,
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable, TooLarge, UnsupportedMediaType]
    })
      .annotate(ChangesNothing, true)
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets a page of the documents that match a query"),
    HttpApiEndpoint.get("fields", "/v1/:tenant/indices/:index/fields", {
      params: {
        ...tenantParams,
        index: text({ description: "An index of the tenant, or a pattern with `*` and `?`", example: "mytenant-*" })
      },
      success: IndexFields,
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The fields of indices, with the types of their values"),
    HttpApiEndpoint.delete("removeIndex", "/v1/:tenant/indices/:index", {
      params: { ...tenantParams, index: text({ description: "Name of the index", example: "mytenant-access" }) },
      query: {
        before: Schema.optionalKey(
          queryText(1024, {
            description:
              "Deletes only documents whose `@timestamp` is before this date; date math such as now-30d/d is allowed",
            example: "now-30d/d"
          })
        )
      },
      error: [BadRequest, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes an index, or its older documents")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Search" })) {}
