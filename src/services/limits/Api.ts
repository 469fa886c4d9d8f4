import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"

/** A limit of a tenant as the endpoint tells it. */
export const LimitView = Schema.Struct({
  limit: Schema.String,
  description: Schema.String,
  unit: Schema.String,
  scope: Schema.Literals(["tenant", "gateway", "execution"]),
  value: Schema.NullOr(Schema.Finite),
  used: Schema.NullOr(Schema.Finite),
  source: Schema.Literals(["default", "setting", "file"]),
  setting: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Limit" })
export type LimitView = typeof LimitView.Type

const TenantLimitsView = Schema.Struct({
  tenant: Schema.String,
  suspended: Schema.Boolean,
  limits: Schema.Array(LimitView)
}).annotate({ identifier: "TenantLimits" })

export class LimitsApi extends HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.get("limits", "/v1/:tenant/limits", {
      params: tenantParams,
      success: TenantLimitsView,
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's limits, their values, and what is used of them")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Limits" })) {}
