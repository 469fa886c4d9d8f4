import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { NeededRole } from "../shared/Access.ts"
import { Authorization } from "../shared/Security.ts"

export const TenantResponse = Schema.Struct({
  tenant: Schema.String.annotate({ description: "Default tenant in the gateway's settings" })
}).annotate({ identifier: "TenantResponse" })

export class PlatformApi extends HttpApiGroup.make("platform")
  .add(
    HttpApiEndpoint.get("properties", "/v1/platform/properties", {
      success: Schema.Record(Schema.String, Schema.Unknown),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets the platform properties; secrets are masked"),
    HttpApiEndpoint.get("tenant", "/v1/platform/tenant", { success: TenantResponse })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets the default tenant of the gateway")
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Platform" })) {}
