import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { Archive } from "./Archive.ts"

const archiveParams = {
  ...tenantParams,
  id: text({
    description: "Id of the archive, which is the id of the execution that made it",
    example: "4kQz0vWbT1mXr8sYh2Lc-1763683200000"
  })
}

export class ArchivesApi extends HttpApiGroup.make("archives")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/archives", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(Archive),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's archives, oldest first"),
    HttpApiEndpoint.delete("removeAll", "/v1/:tenant/archives", {
      params: tenantParams,
      success: HttpApiSchema.Empty(200),
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Deletes all archives of the tenant"),
    HttpApiEndpoint.get("download", "/v1/:tenant/archives/:id", {
      params: archiveParams,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/zip" }),
      error: [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Downloads an archive as a zip file; supports range and conditional requests"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/archives/:id", {
      params: archiveParams,
      error: [NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes an archive")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Archives" })) {}
