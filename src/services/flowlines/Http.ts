import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { formMemory } from "../http/FormMemory.ts"
import { readForm } from "../http/FormReader.ts"
import { idempotent } from "../http/Idempotency.ts"
import { listResponse } from "../http/Paging.ts"
import { tagged } from "../shared/EntityTag.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { IdempotencyStore } from "../shared/IdempotencyStore.ts"
import { Settings } from "../shared/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import type { FlowlineFile } from "./Decoder.ts"
import { Flowlines, indexOf, type Saved, type Started, Starter, tagOf } from "./Flowlines.ts"
import { Tries } from "./Tries.ts"
import { readTry, tryRules } from "./TryForm.ts"

export const FlowlinesHttp = HttpApiBuilder.group(
  Api,
  "flowlines",
  Effect.fn(function* (handlers) {
    const flowlines = yield* Flowlines
    const starter = yield* Starter
    const tries = yield* Tries
    const answers = yield* IdempotencyStore
    const { limits } = yield* Settings

    const readFile = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      const form = yield* readForm(request, {
        parts: { file: { limit: limits.flowlineFile, limitName: "flowlineFile", required: true } },
        maxParts: limits.parts,
        hold: yield* formMemory(tenant)
      })
      const { bytes, filename } = form.get("file")!
      return (filename === undefined ? { bytes } : { bytes, name: filename }) satisfies FlowlineFile
    })

    const save = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId | undefined,
      isTested: boolean
    ) {
      const file = yield* readFile(tenant, request)
      const ifMatch = request.headers["if-match"]
      const into = { ...(id === undefined ? {} : { id }), ...(ifMatch === undefined ? {} : { ifMatch }) }
      const done = ({ id, version, warnings }: Saved) => ({
        body: { index: indexOf(tenant), id, tenant, ...(warnings.length === 0 ? {} : { warnings }) },
        etag: `"${tagOf(id, version)}"`,
        version
      })
      return yield* idempotent(answers, request, tenant, file.bytes, (answered) =>
        Effect.andThen(
          isTested ? tries.verify(tenant, file) : Effect.void,
          flowlines.save(tenant, file, into, answered(done))
        )
      )
    })

    const tryOut = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      const form = yield* readForm(request, { ...tryRules(limits), hold: yield* formMemory(tenant) })
      const asked = yield* Effect.fromResult(readTry(form))
      return HttpServerResponse.jsonUnsafe(yield* tries.run(tenant, asked))
    })

    const started = ({ id }: Started) => ({ body: { id } })

    const get = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId,
      version: number | undefined
    ) {
      const { dag, platformId, savedAt, version: current } = yield* flowlines.get(tenant, id, version)
      const source = { "@timestamp": savedAt, platform_id: platformId, dag, tenant }
      return tagged(request, tagOf(id, current), () =>
        HttpServerResponse.jsonUnsafe({ index: indexOf(tenant), id, source })
      )
    })

    return handlers
      .handle("list", ({ params, query }) =>
        listResponse("flowlines", TenantId(params.tenant), query, (span) =>
          flowlines.list(TenantId(params.tenant), span)
        )
      )
      .handleRaw("save", ({ params, query, request }) =>
        save(
          TenantId(params.tenant),
          request,
          query.id === undefined ? undefined : FlowlineId(query.id),
          query.test === "true"
        )
      )
      .handleRaw("tryOut", ({ params, request }) => tryOut(TenantId(params.tenant), request))
      .handleRaw("executeOnce", ({ params, request }) =>
        Effect.flatMap(readFile(TenantId(params.tenant), request), (file) =>
          idempotent(answers, request, TenantId(params.tenant), file.bytes, (answered) =>
            starter.executeOnce(TenantId(params.tenant), file, answered(started))
          )
        )
      )
      .handleRaw("get", ({ params, query, request }) =>
        get(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handleRaw("execute", ({ params, query, request }) =>
        idempotent(answers, request, TenantId(params.tenant), new Uint8Array(), (answered) =>
          starter.execute(TenantId(params.tenant), FlowlineId(params.id), query.version, answered(started))
        )
      )
      .handle("remove", ({ params }) => flowlines.remove(TenantId(params.tenant), FlowlineId(params.id)))
  })
)
