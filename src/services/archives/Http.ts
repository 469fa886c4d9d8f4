import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { download } from "../http/Download.ts"
import { listResponse } from "../http/Paging.ts"
import { changeable, isConditional } from "../http/Preconditions.ts"
import { TenantId } from "../shared/Tenant.ts"
import { ArchiveId } from "./Archive.ts"
import { Archives } from "./Archives.ts"

export const ArchivesHttp = HttpApiBuilder.group(
  Api,
  "archives",
  Effect.fn(function* (handlers) {
    const archives = yield* Archives
    return handlers.handleAll({
      list: ({ params, query }) =>
        listResponse("archives", TenantId(params.tenant), query, (span) =>
          archives.list(TenantId(params.tenant), span)
        ),
      // With a trailing slash the URL names one archive with an empty id. It must not delete all of them.
      removeAll: ({ params, request }) =>
        request.originalUrl.split("?", 1)[0]?.endsWith("/") === true
          ? new NotFound({ kind: "archive", tenant: params.tenant, id: "" })
          : archives.removeAll(TenantId(params.tenant)),
      download: Effect.fnUntraced(function* ({ params, request }) {
        const tenant = TenantId(params.tenant)
        const id = ArchiveId(params.id)
        const archive = yield* archives.get(tenant, id)
        return yield* download({
          tenant,
          request,
          size: archive.size,
          etag: archive.sha256,
          lastModified: new Date(archive.createdAt),
          filename: `${id}.zip`,
          contentType: "application/zip",
          disposition: "attachment",
          ...archives.content(tenant, archive)
        })
      }),
      remove: Effect.fnUntraced(function* ({ params, request }) {
        const tenant = TenantId(params.tenant)
        const id = ArchiveId(params.id)
        if (isConditional(request)) {
          // An archive never changes, so it is still this one when it is removed.
          const { sha256, createdAt } = yield* archives.get(tenant, id)
          yield* changeable(request, { etag: sha256, lastModified: new Date(createdAt) })
        }
        yield* archives.remove(tenant, id)
      })
    })
  })
)
