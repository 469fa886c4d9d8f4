import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { BadRequest } from "../../errors/BadRequest.ts"
import { download } from "../shared/Download.ts"
import type { FormPart } from "../shared/Form.ts"
import { IdempotencyStore, idempotent } from "../shared/Idempotency.ts"
import { mediaTypeOf } from "../shared/MediaType.ts"
import { listResponse } from "../shared/Paging.ts"
import { Settings } from "../shared/Settings.ts"
import { StreamHash } from "../shared/StreamHash.ts"
import { readUpload } from "../shared/Upload.ts"
import { Registry } from "./Registry.ts"

const pathOf = ({ bytes }: FormPart) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () =>
      new BadRequest({ detail: "The form cannot be read", issues: [{ part: "path", detail: "Expected UTF-8 text" }] })
  })

export const RegistryHttp = HttpApiBuilder.group(
  Api,
  "registry",
  Effect.fn(function* (handlers) {
    const registry = yield* Registry
    const answers = yield* IdempotencyStore
    const hashes = yield* StreamHash
    const { limits } = yield* Settings

    const create = Effect.fnUntraced(function* (tenant: string, request: HttpServerRequest.HttpServerRequest) {
      const { blob, checked: path } = yield* readUpload(
        request,
        hashes,
        {
          file: "file",
          parts: { path: { limit: limits.formField, limitName: "formField", required: true } },
          maxParts: limits.parts,
          check: (parts) => Effect.flatMap(pathOf(parts.get("path")!), (path) => registry.check(tenant, path))
        },
        (source) => registry.store(tenant, source)
      )
      const isNew = request.headers["if-none-match"]?.trim() === "*"
      const work = Effect.as(registry.put(tenant, path, blob, isNew), {})
      const sent = new TextEncoder().encode(`${blob.sha256} ${path}`)
      return yield* idempotent(answers, request, tenant, sent, work)
    })

    return handlers
      .handleRaw("list", ({ params, query }) =>
        listResponse("registry", query, (span) => registry.list(params.tenant, span), /^[^\u0000]+$/)
      )
      .handleRaw("create", ({ params, request }) => create(params.tenant, request))
      .handleRaw(
        "download",
        Effect.fnUntraced(function* ({ params: { tenant, path }, query, request }) {
          const file = yield* registry.get(tenant, path, query.version)
          return yield* download({
            request,
            size: file.size,
            etag: file.sha256,
            lastModified: new Date(file.createdAt),
            filename: path.slice(path.lastIndexOf("/") + 1),
            contentType: mediaTypeOf(path),
            disposition: "attachment",
            read: (span) => registry.read(tenant, file.sha256, span)
          })
        })
      )
      .handle("metadata", ({ params: { tenant, path }, query }) =>
        Effect.map(registry.get(tenant, path, query.version), (version) => registry.details(tenant, version))
      )
  })
)
