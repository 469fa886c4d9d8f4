import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { download } from "../http/Download.ts"
import { formMemory } from "../http/FormMemory.ts"
import { readForm } from "../http/FormReader.ts"
import { idempotent } from "../http/Idempotency.ts"
import { listResponse } from "../http/Paging.ts"
import { withoutTag } from "../http/Preconditions.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { fingerprint, registrationOf, registrationRules, transferOf, transferRules } from "./Forms.ts"
import type { ResourceAnswer } from "./Resource.ts"
import { Resources } from "./Resources.ts"

export const ResourcesHttp = HttpApiBuilder.group(
  Api,
  "stored",
  Effect.fn(function* (handlers) {
    const resources = yield* Resources
    const answers = yield* IdempotencyStore
    const { limits } = yield* Settings

    const transfer = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      from: string,
      isMove: boolean
    ) {
      yield* withoutTag(request)
      const form = yield* readForm(request, { ...transferRules(limits), hold: yield* formMemory(tenant) })
      const wanted = yield* transferOf(form)
      const done = (body: ResourceAnswer) => ({ status: 201, body })
      return yield* idempotent(answers, request, tenant, fingerprint(form), (answered) =>
        resources.transfer(tenant, { from, isMove, ...wanted }, answered(done))
      )
    })

    const register = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      name: string
    ) {
      yield* withoutTag(request)
      const form = yield* readForm(request, { ...registrationRules(limits), hold: yield* formMemory(tenant) })
      const registration = yield* registrationOf(form)
      const isNew = request.headers["if-none-match"]?.trim() === "*"
      const done = (body: ResourceAnswer) => ({ body })
      return yield* idempotent(answers, request, tenant, fingerprint(form), (answered) =>
        Effect.catchTag(resources.register(tenant, name, registration, answered(done)), "VersionConflict", (conflict) =>
          Effect.fail(isNew ? new PreconditionFailed({ detail: conflict.detail ?? "The version exists" }) : conflict)
        )
      )
    })

    return handlers
      .handleRaw("copy", ({ params, request }) => transfer(TenantId(params.tenant), request, params.name, false))
      .handleRaw("move", ({ params, request }) => transfer(TenantId(params.tenant), request, params.name, true))
      .handleRaw("register", ({ params, request }) => register(TenantId(params.tenant), request, params.name))
      .handleRaw("list", ({ params, query }) =>
        listResponse(
          "stored",
          TenantId(params.tenant),
          query,
          (span) => resources.list(TenantId(params.tenant), span),
          /^[^\u0000]+$/
        )
      )
      .handle("metadata", ({ params, query }) =>
        resources.metadata(TenantId(params.tenant), params.name, query.version)
      )
      .handle("remove", ({ params, query, request }) =>
        Effect.andThen(withoutTag(request), resources.remove(TenantId(params.tenant), params.name, query.version))
      )
      .handleRaw(
        "content",
        Effect.fnUntraced(function* ({ params: { name, ...params }, query, request }) {
          const tenant = TenantId(params.tenant)
          const content = yield* resources.open(tenant, name, query.version)
          return yield* download({
            tenant,
            request,
            size: content.size,
            etag: content.etag,
            lastModified: new Date(content.version.createdAt),
            filename: name.slice(name.lastIndexOf("/") + 1),
            contentType: mediaTypeOf(name),
            disposition: "attachment",
            read: content.read,
            present: content.present
          })
        })
      )
      .handle("sweep", ({ params, query }) => {
        const dryRun = query.dryRun === true
        return Effect.map(resources.sweep(TenantId(params.tenant), dryRun), (blobs) => ({
          dryRun,
          bytes: blobs.reduce((sum, { size }) => sum + size, 0),
          blobs: blobs.map(({ sha256, size, storedAt }) => ({
            sha256,
            size,
            storedAt: new Date(storedAt).toISOString()
          }))
        }))
      })
  })
)
