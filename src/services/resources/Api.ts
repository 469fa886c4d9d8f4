import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { InvalidResource } from "../../errors/InvalidResource.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { RequestTimeout } from "../../errors/RequestTimeout.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { VersionConflict } from "../../errors/VersionConflict.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole, SpansSegments } from "../shared/requests/EndpointAnnotations.ts"
import { booleanText, versionRange, wholeNumber } from "../shared/requests/Parameters.ts"
import { relativePath } from "../shared/requests/RelativePath.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ResourceAnswer, ResourceMetadata } from "./Resource.ts"

const params = { ...tenantParams, name: relativePath("Name of the resource", "lists/blocked.csv") }

const versionQuery = {
  version: Schema.optionalKey(wholeNumber(versionRange, { description: "A version", example: 1 }))
}

const TransferForm = Schema.Struct({
  destination: Schema.String.annotate({ description: "The new name" }),
  version: Schema.optionalKey(Schema.String.annotate({ description: "Version to transfer; all by default" })),
  embedded: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "Whether to embed the bytes in the metadata, at most 1 MiB"
    })
  )
})
  .annotate({ identifier: "TransferForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

const RegisterForm = Schema.Struct({
  url: Schema.String.annotate({
    description: "Path in the tenant's data area, relative or as an absolute `file:` URL"
  }),
  version: Schema.optionalKey(Schema.String.annotate({ description: "Version number; the next one by default" })),
  size: Schema.optionalKey(
    Schema.String.annotate({ description: "Size in bytes; if given, it must be the actual size" })
  ),
  properties: Schema.optionalKey(Schema.String.annotate({ description: "Custom properties, a JSON object" })),
  compression: Schema.optionalKey(Schema.String),
  encoding: Schema.optionalKey(Schema.String)
})
  .annotate({ identifier: "RegisterForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

const refusals = [
  BadRequest,
  Conflict,
  IdempotencyKeyReused,
  InvalidResource,
  NotFound,
  Overloaded,
  PreconditionFailed,
  RequestTimeout,
  StorageUnreachable,
  TooLarge,
  TooMany,
  VersionConflict
] as const

const transfer = {
  params,
  payload: TransferForm,
  success: ResourceAnswer.pipe(HttpApiSchema.status(201)),
  error: refusals
}

const Swept = Schema.Struct({
  dryRun: Schema.Boolean,
  bytes: Schema.Int.annotate({
    description: "Total size in bytes of the blobs that were removed, or would be with `dryRun`"
  }),
  blobs: Schema.Array(Schema.Struct({ sha256: Schema.String, size: Schema.Int, storedAt: Schema.String }))
}).annotate({ identifier: "Swept" })

export class ResourcesApi extends HttpApiGroup.make("stored")
  .add(
    HttpApiEndpoint.put("copy", "/v1/:tenant/resources/copy/:name", transfer)
      .annotate(NeededRole, "developer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Copies one version or all versions of a stored resource, without copying bytes"),
    HttpApiEndpoint.put("move", "/v1/:tenant/resources/move/:name", transfer)
      .annotate(NeededRole, "developer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Moves one version or all versions of a stored resource to another name"),
    HttpApiEndpoint.put("register", "/v1/:tenant/resources/register/:name", {
      params,
      payload: RegisterForm,
      success: ResourceAnswer,
      error: refusals
    })
      .annotate(NeededRole, "developer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Registers a file in the tenant's data area as a version of a stored resource"),
    HttpApiEndpoint.get("list", "/v1/:tenant/resources/stored", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(ResourceMetadata),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the stored resources in their latest versions, ordered by name"),
    HttpApiEndpoint.get("metadata", "/v1/:tenant/resources/stored/:name", {
      params,
      query: versionQuery,
      success: ResourceAnswer,
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Lists the versions of a stored resource"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/resources/stored/:name", {
      params,
      query: versionQuery,
      success: HttpApiSchema.Empty(200),
      error: [BadRequest, NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Deletes one version or all versions of a stored resource"),
    HttpApiEndpoint.get("content", "/v1/:tenant/resources/content/:name", {
      params,
      query: versionQuery,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Downloads a version of a stored resource; the latest by default"),
    HttpApiEndpoint.post("sweep", "/v1/:tenant/resources/sweep", {
      params: tenantParams,
      query: {
        dryRun: Schema.optionalKey(
          booleanText({ description: "`true` only lists what would be removed", example: true })
        )
      },
      success: Swept,
      error: StorageUnreachable
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Removes blobs that nothing refers to; `dryRun=true` only lists them")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Stored resources" })) {}
