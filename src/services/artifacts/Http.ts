import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { download } from "../http/Download.ts"
import { idempotent, usableKey } from "../http/Idempotency.ts"
import { listResponse } from "../http/Paging.ts"
import { readable, withoutTag } from "../http/Preconditions.ts"
import { readUpload } from "../http/Upload.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import { StreamHash } from "../shared/bytes/StreamHash.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { tagged } from "../shared/reads/EntityTag.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { ArtifactName, ArtifactVersion, artifactTypes, GroupName, versionsIn } from "./Artifact.ts"
import { Artifacts, uploadFaults } from "./Artifacts.ts"

/** The versions to delete. */
const versionsOf = (given: string | ReadonlyArray<string> | undefined) =>
  given === undefined ? undefined : versionsIn(given).map((version) => ArtifactVersion(version))

export const ArtifactsHttp = HttpApiBuilder.group(
  Api,
  "resources",
  Effect.fn(function* (handlers) {
    const artifacts = yield* Artifacts
    const answers = yield* IdempotencyStore
    const hashes = yield* StreamHash
    const { limits } = yield* Settings

    const metadata = (
      tenant: TenantId,
      { group, artifact, version }: { readonly group: string; readonly artifact: string; readonly version?: string }
    ) =>
      artifacts.metadata(
        tenant,
        GroupName(group),
        ArtifactName(artifact),
        version === undefined ? undefined : ArtifactVersion(version)
      )

    const upload = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      yield* withoutTag(request)
      yield* usableKey(request)
      const { blob, file, checked } = yield* readUpload(
        request,
        hashes,
        {
          tenant,
          file: "input",
          most: artifacts.most(tenant),
          parts: { manifest: { limit: limits.definitionsPart, limitName: "manifest", required: true } },
          maxParts: limits.parts,
          faults: uploadFaults,
          check: (parts) => Effect.succeed(parts.get("manifest")!)
        },
        (source) => artifacts.store(tenant, source)
      )
      const isNew = request.headers["if-none-match"]?.trim() === "*"
      const done = (json: string) => ({ status: 201, body: JSON.parse(json) as unknown })
      const sent = new TextEncoder().encode(
        `${blob.sha256} ${file.filename} ${new TextDecoder().decode(checked.bytes)}`
      )
      return yield* idempotent(answers, request, tenant, sent, (answered) =>
        artifacts.add(tenant, { ...blob, file }, checked, isNew, answered(done))
      )
    })

    return handlers
      .handleRaw("list", ({ params, query: { all, group, artifact, type, ...page } }) =>
        listResponse(
          "artifacts",
          TenantId(params.tenant),
          page,
          (span) =>
            artifacts.list(
              TenantId(params.tenant),
              {
                all: all === true,
                ...(group === undefined ? {} : { group }),
                ...(artifact === undefined ? {} : { artifact }),
                ...(type === undefined ? {} : { type })
              },
              span
            ),
          /^[^\u0000]*\t[^\u0000]*\t[^\u0000]*$/
        )
      )
      .handleRaw("upload", ({ params, request }) => upload(TenantId(params.tenant), request))
      .handleRaw(
        "metadata",
        Effect.fnUntraced(function* ({ params, query, request }) {
          const { json } = yield* metadata(TenantId(params.tenant), query)
          // The tag of the metadata, not of the build: several versions may have the same build.
          const etag = yield* hexDigest(json)
          yield* readable(request, { etag })
          return tagged(request, etag, () => HttpServerResponse.text(json, { contentType: "application/json" }))
        })
      )
      .handleRaw(
        "download",
        Effect.fnUntraced(function* ({ params, query, request }) {
          const tenant = TenantId(params.tenant)
          const { stored } = yield* metadata(tenant, query)
          const { file, createdAt } = JSON.parse(stored.doc) as { readonly file: string; readonly createdAt: string }
          return yield* download({
            tenant,
            request,
            size: stored.size,
            etag: stored.sha256,
            lastModified: new Date(createdAt),
            filename: file,
            contentType: mediaTypeOf(file),
            disposition: "attachment",
            ...artifacts.content(tenant, stored.sha256)
          })
        })
      )
      .handle("remove", ({ params, query, request }) =>
        Effect.andThen(
          withoutTag(request),
          artifacts.remove(
            TenantId(params.tenant),
            GroupName(query.group),
            ArtifactName(query.artifact),
            versionsOf(query.versions)
          )
        )
      )
      .handle("types", () => Effect.succeed(artifactTypes))
  })
)
