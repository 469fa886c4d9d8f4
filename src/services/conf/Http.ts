import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { download } from "../http/Download.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { withoutSlash } from "../shared/requests/RelativePath.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Conf } from "./Conf.ts"

export const ConfHttp = HttpApiBuilder.group(
  Api,
  "conf",
  Effect.fn(function* (handlers) {
    const conf = yield* Conf
    return handlers
      .handleRaw("tree", ({ params }) =>
        Effect.map(conf.tree(TenantId(params.tenant)), (tree) => HttpServerResponse.jsonUnsafe(tree))
      )
      .handleRaw(
        "read",
        Effect.fnUntraced(function* ({ params: { path: asked, ...params }, request }) {
          const tenant = TenantId(params.tenant)
          const path = withoutSlash(asked)
          const file = yield* conf.open(tenant, path)
          return yield* download({
            tenant,
            request,
            size: file.size,
            etag: file.sha256,
            lastModified: file.lastModified,
            filename: path.slice(path.lastIndexOf("/") + 1),
            contentType: mediaTypeOf(path),
            disposition: "inline",
            read: (span) => Effect.succeed(file.read(span))
          })
        })
      )
  })
)
