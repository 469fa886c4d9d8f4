import { Schema } from "effect"
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
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { booleanText, filePart, queryText, valueSchema } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { Artifact, ArtifactType, artifactTypes, versionsIn } from "./Artifact.ts"

const name = (description: string, example: string) => queryText(1024, { description, example })

const coordinates = {
  group: name("Exact group name", "org.example"),
  artifact: name("Exact artifact name", "tool"),
  version: Schema.optionalKey(name("Version; the latest by default", "1.0.0"))
}

const Version = name("A version", "1.0.0")

const UploadForm = Schema.Struct({
  input: filePart("The build"),
  manifest: filePart(
    "YAML, HJSON or JSON with `group`, `artifact`, `version`, `type` and optional members that describe the build"
  )
})
  .annotate({ identifier: "UploadForm" })
  .pipe(HttpApiSchema.asMultipartStream({ fieldMimeTypes: [] }))

export class ArtifactsApi extends HttpApiGroup.make("resources")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/resources/list", {
      params: tenantParams,
      query: {
        all: Schema.optionalKey(
          booleanText({ description: "`true` lists all versions, not only the latest of each artifact", example: true })
        ),
        group: Schema.optionalKey(name("Group, with the wildcards `*` and `?`", "org.*")),
        artifact: Schema.optionalKey(name("Artifact, with the wildcards `*` and `?`", "to*")),
        type: Schema.optionalKey(
          Schema.Literals(artifactTypes).annotate({
            description: "Artifact type",
            [valueSchema]: { type: "string", enum: artifactTypes, examples: ["FILE"] }
          })
        ),
        ...pageQuery
      },
      success: Schema.Array(Artifact),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's artifacts, ordered by group, artifact and version"),
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
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Uploads a version of an artifact"),
    HttpApiEndpoint.get("metadata", "/v1/:tenant/resources/metadata", {
      params: tenantParams,
      query: coordinates,
      success: Artifact,
      error: [NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets the metadata of an artifact version"),
    HttpApiEndpoint.get("download", "/v1/:tenant/resources/download", {
      params: tenantParams,
      query: coordinates,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Downloads the build of an artifact version"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/resources/delete", {
      params: tenantParams,
      query: {
        group: coordinates.group,
        artifact: coordinates.artifact,
        versions: Schema.optionalKey(
          Schema.Union([Version, Schema.Array(Version)])
            .annotate({
              description: "Versions to delete, comma-separated or as a repeated parameter; all by default",
              [valueSchema]: { type: "array", items: { type: "string" }, examples: [["1.0.0"]] }
            })
            .check(
              Schema.makeFilter((given) => versionsIn(given).every((version) => version !== ""), {
                expected: "non-empty versions"
              })
            )
        )
      },
      success: HttpApiSchema.Empty(200),
      error: [BadRequest, NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(
        OpenApi.Summary,
        "Deletes versions of an artifact: all of the named versions, or none when one does not exist"
      ),
    HttpApiEndpoint.get("types", "/v1/:tenant/resources/types", {
      params: tenantParams,
      success: Schema.Array(ArtifactType)
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the artifact types")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Artifacts" })) {}
