import { Effect, Result } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { download } from "../http/Download.ts"
import { idempotent, usableKey } from "../http/Idempotency.ts"
import { listResponse } from "../http/Paging.ts"
import { changeable, isConditional, readable } from "../http/Preconditions.ts"
import { readUpload } from "../http/Upload.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { StreamHash } from "../shared/bytes/StreamHash.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { strongTags } from "../shared/reads/EntityTag.ts"
import type { FormPart } from "../shared/requests/FormRules.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Registry } from "./Registry.ts"
import type { Expected } from "./RegistryStore.ts"

const pathOf = ({ bytes }: FormPart): Result.Result<string, ReadonlyArray<Issue>> =>
  Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => [{ part: "path", detail: "Expected UTF-8 text" }]
  })

const acceptedPath = (part: FormPart) =>
  Effect.mapError(
    Effect.fromResult(pathOf(part)),
    (issues) => new BadRequest({ detail: "The form is invalid", issues })
  )

/** The state of the path that `If-None-Match: *` and `If-Match` require. */
const expectedOf = ({ headers }: HttpServerRequest.HttpServerRequest): Expected => {
  const isNew = headers["if-none-match"]?.trim() === "*"
  const match = headers["if-match"]
  // With both conditions nothing matches: an existing object is never new.
  if (isNew) return match === undefined ? { _tag: "New" } : { _tag: "Latest", sha256s: [] }
  if (match === undefined) return { _tag: "Anything" }
  return { _tag: "Latest", sha256s: strongTags(match) }
}

export const RegistryHttp = HttpApiBuilder.group(
  Api,
  "registry",
  Effect.fn(function* (handlers) {
    const registry = yield* Registry
    const answers = yield* IdempotencyStore
    const hashes = yield* StreamHash
    const { limits } = yield* Settings

    const create = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      yield* usableKey(request)
      const { blob, checked: path } = yield* readUpload(
        request,
        hashes,
        {
          tenant,
          file: "file",
          most: registry.most(tenant),
          parts: { path: { limit: limits.formField, limitName: "formField", required: true } },
          maxParts: limits.parts,
          faults: (parts) => {
            const path = parts.get("path")
            const read = path === undefined ? undefined : pathOf(path)
            return read?._tag === "Failure" ? read.failure : []
          },
          check: (parts) => Effect.flatMap(acceptedPath(parts.get("path")!), (path) => registry.check(tenant, path))
        },
        (source) => registry.store(tenant, source)
      )
      const sent = new TextEncoder().encode(`${blob.sha256} ${path}`)
      return yield* idempotent(answers, request, tenant, sent, (answered) =>
        registry.put(
          tenant,
          path,
          blob,
          expectedOf(request),
          answered((version) => ({ version }))
        )
      )
    })

    return handlers
      .handleRaw("list", ({ params, query }) =>
        listResponse(
          "registry",
          TenantId(params.tenant),
          query,
          (span) => registry.list(TenantId(params.tenant), span),
          /^[^\u0000]+$/
        )
      )
      .handleRaw("create", ({ params, request }) => create(TenantId(params.tenant), request))
      .handleRaw(
        "download",
        Effect.fnUntraced(function* ({ params: { path, ...params }, query, request }) {
          const tenant = TenantId(params.tenant)
          const file = yield* registry.get(tenant, path, query.version)
          return yield* download({
            tenant,
            request,
            size: file.size,
            etag: file.sha256,
            lastModified: new Date(file.createdAt),
            filename: path.slice(path.lastIndexOf("/") + 1),
            contentType: mediaTypeOf(path),
            disposition: "attachment",
            ...registry.content(tenant, file.sha256)
          })
        })
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params: { path, ...params }, query, request }) {
          const tenant = TenantId(params.tenant)
          let seen: string | undefined
          if (isConditional(request)) {
            const { sha256, createdAt } = yield* registry.get(tenant, path, query.version)
            yield* changeable(request, { etag: sha256, lastModified: new Date(createdAt) })
            seen = sha256
          }
          yield* registry.remove(tenant, path, query.version, seen)
        })
      )
      .handleRaw(
        "metadata",
        Effect.fnUntraced(function* ({ params: { path, ...params }, query, request }) {
          const tenant = TenantId(params.tenant)
          const version = yield* registry.get(tenant, path, query.version)
          yield* readable(request, { etag: version.sha256 })
          const headers = { etag: `"${version.sha256}"` }
          return HttpServerResponse.jsonUnsafe(registry.details(tenant, version), { headers })
        })
      )
  })
)
