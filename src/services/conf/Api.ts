import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { NeededRole, SpansSegments } from "../shared/requests/EndpointAnnotations.ts"
import { folderPath } from "../shared/requests/RelativePath.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ConfNode } from "./ConfNode.ts"

export class ConfApi extends HttpApiGroup.make("conf")
  .add(
    HttpApiEndpoint.get("tree", "/v1/:tenant/conf", {
      params: tenantParams,
      success: Schema.Record(Schema.String, ConfNode),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's configuration folder as a tree"),
    HttpApiEndpoint.get("read", "/v1/:tenant/conf/:path", {
      params: { ...tenantParams, path: folderPath("Path of the file", "flowlines/apache-access.yaml") },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [DirectoryRead, NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Reads a configuration file; its extension decides the media type")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Configuration" })) {}
