import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { ResourceNotCreated } from "../../errors/ResourceNotCreated.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole, SpansSegments } from "../shared/requests/EndpointAnnotations.ts"
import { filePart, versionRange, wholeNumber } from "../shared/requests/Parameters.ts"
import { relativePath } from "../shared/requests/RelativePath.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { RegistryDetails, RegistryEntry } from "./Entry.ts"

const params = { ...tenantParams, path: relativePath("Path of the resource", "lists/blocked.csv") }
const version = (description: string) => Schema.optionalKey(wholeNumber(versionRange, { description, example: 1 }))
const query = { version: version("Version; the latest by default") }

const RegistryForm = Schema.Struct({
  file: filePart("The file"),
  path: Schema.String.annotate({ description: "Path to store the file under" })
})
  .annotate({ identifier: "RegistryForm" })
  .pipe(HttpApiSchema.asMultipartStream({ fieldMimeTypes: [] }))

export class RegistryApi extends HttpApiGroup.make("registry")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/registry", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(RegistryEntry),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the files of the registry in their latest versions, ordered by path"),
    HttpApiEndpoint.post("create", "/v1/:tenant/registry", {
      params: tenantParams,
      payload: RegistryForm,
      success: HttpApiSchema.Empty(200),
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        Overloaded,
        PreconditionFailed,
        ResourceNotCreated,
        StorageUnreachable,
        TooLarge,
        TooMany
      ]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Stores a file as the next version of a path"),
    HttpApiEndpoint.get("download", "/v1/:tenant/registry/download/:path", {
      params,
      query,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Downloads a file"),
    HttpApiEndpoint.get("metadata", "/v1/:tenant/registry/metadata/:path", {
      params,
      query,
      success: RegistryDetails,
      error: [NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Gets the metadata of a file"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/registry/delete/:path", {
      params,
      query: {
        version: version("Version; without it all versions are deleted")
      },
      success: HttpApiSchema.NoContent,
      error: [BadRequest, NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Deletes a version of a file, or the file with all its versions")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Registry" })) {}
