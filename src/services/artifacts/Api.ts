import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { VersionConflict } from "../../errors/VersionConflict.ts"
import { pageQuery } from "../shared/Listing.ts"
import { QueryText } from "../shared/QueryText.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { Artifact, ArtifactType } from "./Artifact.ts"

const Name = QueryText.check(Schema.isMaxLength(1024))
const Truth = Schema.Literals(["true", "false"])

const coordinates = {
  group: Name.annotate({ description: "Exact group name" }),
  artifact: Name.annotate({ description: "Exact artifact name" }),
  version: Schema.optionalKey(Name.annotate({ description: "Version; the latest by default" }))
}

const UploadForm = Schema.Struct({
  input: Multipart.SingleFileSchema.annotate({ description: "The build" }),
  manifest: Multipart.SingleFileSchema.annotate({
    description:
      "YAML, HJSON or JSON with `group`, `artifact`, `version`, `type` and optional members that describe the build"
  })
})
  .annotate({ identifier: "UploadForm" })
  .pipe(HttpApiSchema.asMultipartStream({ fieldMimeTypes: [] }))

export class ArtifactsApi extends HttpApiGroup.make("resources")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/resources/list", {
      params: tenantParams,
      query: {
        all: Schema.optionalKey(
          Truth.annotate({ description: "`true` lists all versions, not only the latest of each artifact" })
        ),
        group: Schema.optionalKey(Name.annotate({ description: "Group, with the wildcards `*` and `?`" })),
        artifact: Schema.optionalKey(Name.annotate({ description: "Artifact, with the wildcards `*` and `?`" })),
        type: Schema.optionalKey(ArtifactType),
        ...pageQuery
      },
      success: Schema.Array(Artifact),
      error: [BadRequest, Overloaded, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Lists the tenant's artifacts, ordered by group, artifact and version"),
    HttpApiEndpoint.put("upload", "/v1/:tenant/resources/upload", {
      params: tenantParams,
      payload: UploadForm,
      success: Artifact.pipe(HttpApiSchema.status(201)),
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        Overloaded,
        PreconditionFailed,
        StorageUnreachable,
        TooLarge,
        TooMany,
        VersionConflict
      ]
    }).annotate(OpenApi.Summary, "Uploads a version of an artifact"),
    HttpApiEndpoint.get("metadata", "/v1/:tenant/resources/metadata", {
      params: tenantParams,
      query: coordinates,
      success: Artifact,
      error: [NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Gets the metadata of an artifact version"),
    HttpApiEndpoint.get("download", "/v1/:tenant/resources/download", {
      params: tenantParams,
      query: coordinates,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Downloads the build of an artifact version"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/resources/delete", {
      params: tenantParams,
      query: {
        group: coordinates.group,
        artifact: coordinates.artifact,
        versions: Schema.optionalKey(
          Schema.Union([Name, Schema.Array(Name)]).annotate({
            description: "Versions to delete, comma-separated or as a repeated parameter; all by default"
          })
        )
      },
      success: HttpApiSchema.Empty(200),
      error: [BadRequest, NotFound, StorageUnreachable]
    }).annotate(
      OpenApi.Summary,
      "Deletes versions of an artifact: all of the named versions, or none when one does not exist"
    ),
    HttpApiEndpoint.get("types", "/v1/:tenant/resources/types", {
      params: tenantParams,
      success: Schema.Array(ArtifactType)
    }).annotate(OpenApi.Summary, "Lists the artifact types")
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Artifacts" })) {}
