import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { NodeDescriptor, ScanResult } from "./Descriptor.ts"

const nodes = { params: tenantParams, success: Schema.Array(NodeDescriptor), error: [Overloaded, StorageUnreachable] }

export class ScanApi extends HttpApiGroup.make("scan")
  .add(
    HttpApiEndpoint.get("all", "/v1/:tenant/flowline/scan", {
      params: tenantParams,
      success: ScanResult,
      error: [Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the nodes that flowlines can use, by runtime"),
    HttpApiEndpoint.get("analytics", "/v1/:tenant/flowline/scan/analytics", nodes)
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the nodes of batch-SQL flowlines"),
    HttpApiEndpoint.get("pybatch", "/v1/:tenant/flowline/scan/pybatch", nodes)
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the nodes of Python batch flowlines, including the tenant's own"),
    HttpApiEndpoint.get("stream", "/v1/:tenant/flowline/scan/stream", nodes)
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the nodes of stream flowlines"),
    HttpApiEndpoint.delete("reset", "/v1/:tenant/flowline/scan/reset", {
      params: tenantParams,
      success: HttpApiSchema.Empty(200),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Discards the cached scan of the tenant's own nodes")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Node scan" })) {}
