import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { InvalidResource } from "../../errors/InvalidResource.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { VersionConflict } from "../../errors/VersionConflict.ts"
import { pageQuery } from "../shared/Listing.ts"
import { RelativePath, SpansSegments } from "../shared/RelativePath.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ResourceAnswer, ResourceMetadata } from "./Resource.ts"

const params = { ...tenantParams, name: RelativePath.annotate({ description: "Name of the resource" }) }

const Version = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 }))
const versionQuery = { version: Schema.optionalKey(Version.annotate({ description: "A version" })) }

const TransferForm = Schema.Struct({
  destination: Schema.String.annotate({ description: "The new name" }),
  version: Schema.optionalKey(Schema.String.annotate({ description: "This version only; by default all" })),
  embedded: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "Whether the metadata is to hold the bytes, up to 1 MiB"
    })
  )
})
  .annotate({ identifier: "TransferForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

const RegisterForm = Schema.Struct({
  url: Schema.String.annotate({ description: "Path in the tenant's data area, or its absolute file: address" }),
  version: Schema.optionalKey(Schema.String.annotate({ description: "By default the next version" })),
  size: Schema.optionalKey(Schema.String.annotate({ description: "Bytes; when it is sent, it has to be right" })),
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
  PreconditionFailed,
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
  bytes: Schema.Int.annotate({ description: "Bytes of the blobs that went, or would go" }),
  blobs: Schema.Array(Schema.Struct({ sha256: Schema.String, size: Schema.Int, storedAt: Schema.String }))
}).annotate({ identifier: "Swept" })

export class ResourcesApi extends HttpApiGroup.make("stored")
  .add(
    HttpApiEndpoint.put("copy", "/v1/:tenant/resources/copy/:name", transfer)
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Copies a stored resource, all its versions or one; no bytes move"),
    HttpApiEndpoint.put("move", "/v1/:tenant/resources/move/:name", transfer)
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Gives a stored resource, all its versions or one, another name"),
    HttpApiEndpoint.put("register", "/v1/:tenant/resources/register/:name", {
      params,
      payload: RegisterForm,
      success: ResourceAnswer,
      error: refusals
    })
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Makes data that is in the tenant's data area a version of a stored resource"),
    HttpApiEndpoint.get("list", "/v1/:tenant/resources/stored", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(ResourceMetadata),
      error: [BadRequest, StorageUnreachable]
    }).annotate(OpenApi.Summary, "The stored resources, each in its latest version, by name"),
    HttpApiEndpoint.get("metadata", "/v1/:tenant/resources/stored/:name", {
      params,
      query: versionQuery,
      success: ResourceAnswer,
      error: [NotFound, StorageUnreachable]
    })
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "The versions of a stored resource"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/resources/stored/:name", {
      params,
      query: versionQuery,
      success: HttpApiSchema.Empty(200),
      error: [BadRequest, NotFound, StorageUnreachable]
    })
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Deletes a stored resource, all its versions or one"),
    HttpApiEndpoint.get("content", "/v1/:tenant/resources/content/:name", {
      params,
      query: versionQuery,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "The bytes of a stored resource, by default of its latest version"),
    HttpApiEndpoint.post("sweep", "/v1/:tenant/resources/sweep", {
      params: tenantParams,
      query: { dryRun: Schema.optionalKey(Schema.Literals(["true", "false"])) },
      success: Swept,
      error: StorageUnreachable
    }).annotate(OpenApi.Summary, "Removes bytes that nothing refers to; `dryRun=true` only shows them")
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Stored resources" })) {}
