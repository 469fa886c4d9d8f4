import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Forbidden } from "../../errors/Forbidden.ts"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ApiKey, KeyRequest, NewApiKey } from "./ApiKey.ts"

export class KeysApi extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("create", "/v1/:tenant/keys", {
      params: tenantParams,
      payload: KeyRequest,
      success: NewApiKey.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Forbidden, LimitExceeded, StorageUnreachable, TooLarge, UnsupportedMediaType]
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Makes an API key, which is shown once"),
    HttpApiEndpoint.get("list", "/v1/:tenant/keys", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(ApiKey),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Lists the tenant's API keys, oldest first"),
    HttpApiEndpoint.delete("revoke", "/v1/:tenant/keys/:id", {
      params: { ...tenantParams, id: text({ description: "Id of the key", example: "3f9a0c52" }) },
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Revokes an API key")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "API keys" })) {}
