import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { download } from "../http/Download.ts"
import { listResponse } from "../http/Paging.ts"
import { changeable, isConditional } from "../http/Preconditions.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { TenantId } from "../shared/Tenant.ts"
import { RunFiles } from "./RunFiles.ts"

export const FilesHttp = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fn(function* (handlers) {
    const files = yield* RunFiles
    return handlers
      .handleRaw("roots", ({ params }) =>
        Effect.succeed(HttpServerResponse.jsonUnsafe(files.roots(TenantId(params.tenant))))
      )
      .handleRaw("list", ({ params, query: { root, ...page } }) => {
        const tenant = TenantId(params.tenant)
        return listResponse(
          `files ${root ?? ""}`,
          tenant,
          page,
          (span) => files.list(tenant, root, span),
          /^[^\u0000]+$/
        )
      })
      .handleRaw(
        "read",
        Effect.fnUntraced(function* ({ params: { path, ...params }, query, request }) {
          const tenant = TenantId(params.tenant)
          const file = yield* files.open(tenant, query.root, path)
          return yield* download({
            tenant,
            request,
            size: file.size,
            etag: file.version,
            lastModified: file.modifiedAt,
            filename: path.slice(path.lastIndexOf("/") + 1),
            contentType: mediaTypeOf(path),
            disposition: "attachment",
            read: (span) => Effect.succeed(file.read(span))
          })
        })
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params: { path, ...params }, query, request }) {
          const tenant = TenantId(params.tenant)
          if (isConditional(request)) {
            const { version, modifiedAt } = yield* Effect.scoped(files.open(tenant, query.root, path))
            yield* changeable(request, { etag: version, lastModified: modifiedAt })
          }
          yield* files.remove(tenant, query.root, path)
        })
      )
  })
)
