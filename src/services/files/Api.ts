import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole, SpansSegments } from "../shared/requests/EndpointAnnotations.ts"
import { queryText } from "../shared/requests/Parameters.ts"
import { relativePath } from "../shared/requests/RelativePath.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { RootEntry, RunFile } from "./RunFile.ts"

const query = {
  root: Schema.optionalKey(
    queryText(63, { description: "A root that runs may write; the tenant's data area by default", example: "data" })
  )
}
const params = { ...tenantParams, path: relativePath("Path of the file below the root", "out/access.csv") }

export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("roots", "/v1/:tenant/roots", {
      params: tenantParams,
      success: Schema.Array(RootEntry)
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the folders that nodes can name as `root`"),
    HttpApiEndpoint.get("list", "/v1/:tenant/files", {
      params: tenantParams,
      query: { ...pageQuery, ...query },
      success: Schema.Array(RunFile),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the files that runs have written, ordered by path"),
    HttpApiEndpoint.get("read", "/v1/:tenant/files/:path", {
      params,
      query,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [
        BadRequest,
        DirectoryRead,
        NotFound,
        Overloaded,
        PreconditionFailed,
        RangeNotSatisfiable,
        StorageUnreachable
      ]
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Reads a file that a run has written"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/files/:path", {
      params,
      query,
      success: HttpApiSchema.NoContent,
      error: [BadRequest, DirectoryRead, NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Deletes a file that a run has written")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Files of runs" })) {}
