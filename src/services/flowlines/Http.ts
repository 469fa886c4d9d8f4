import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { parameterBytes } from "../../protocol/Parameters.ts"
import { formMemory } from "../http/FormMemory.ts"
import { readForm } from "../http/FormReader.ts"
import { idempotent } from "../http/Idempotency.ts"
import { readOptionalJson } from "../http/JsonBody.ts"
import { listResponse } from "../http/Paging.ts"
import { tagged } from "../shared/EntityTag.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import type { FormPart, PartRules } from "../shared/Form.ts"
import { IdempotencyStore } from "../shared/IdempotencyStore.ts"
import { Settings } from "../shared/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { type FlowlineFile, parametersPart } from "./Decoder.ts"
import { Flowlines, indexOf, type Saved, type Started, Starter, tagOf } from "./Flowlines.ts"
import { inBody, parametersOfBody, parametersOfPart, schemaOfParameters } from "./GivenParameters.ts"

const isForm = /^multipart\/form-data\b/i

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(one.length + 1 + other.length)
  both.set(one)
  // No byte of UTF-8, so that no two pairs are joined to the same.
  both[one.length] = 0xff
  both.set(other, one.length + 1)
  return both
}

export const FlowlinesHttp = HttpApiBuilder.group(
  Api,
  "flowlines",
  Effect.fn(function* (handlers) {
    const flowlines = yield* Flowlines
    const starter = yield* Starter
    const answers = yield* IdempotencyStore
    const { limits } = yield* Settings

    const started = ({ id }: Started) => ({ body: { id } })

    const filePart = { limit: limits.flowlineFile, limitName: "flowlineFile", required: true }

    const parametersRule = { limit: parameterBytes, limitName: parametersPart, required: false }

    const formOf = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      parts: PartRules["parts"]
    ) {
      return yield* readForm(request, { parts, maxParts: limits.parts, hold: yield* formMemory(tenant) })
    })

    const fileOf = (form: ReadonlyMap<string, FormPart>): FlowlineFile => {
      const { bytes, filename } = form.get("file")!
      return filename === undefined ? { bytes } : { bytes, name: filename }
    }

    /** The parameters of a form, and their bytes. */
    const givenIn = Effect.fnUntraced(function* (form: ReadonlyMap<string, FormPart>) {
      const sent = form.get(parametersPart)?.bytes ?? new Uint8Array()
      return { sent, given: sent.length === 0 ? {} : yield* parametersOfPart(sent) }
    })

    const executeOnce = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      const form = yield* formOf(tenant, request, { file: filePart, [parametersPart]: parametersRule })
      const file = fileOf(form)
      const { sent, given } = yield* givenIn(form)
      const body = sent.length === 0 ? file.bytes : joined(file.bytes, sent)
      return yield* idempotent(answers, request, tenant, body, (answered) =>
        starter.executeOnce(tenant, file, answered(started), given)
      )
    })

    const execute = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId,
      version: number | undefined
    ) {
      if (isForm.test(request.headers["content-type"] ?? "")) {
        const { sent, given } = yield* givenIn(yield* formOf(tenant, request, { [parametersPart]: parametersRule }))
        return yield* idempotent(answers, request, tenant, sent, (answered) =>
          starter.execute(tenant, id, version, answered(started), given)
        )
      }
      const { body, value } = yield* readOptionalJson(request, limits.jsonBody)
      const given = yield* parametersOfBody(body, value)
      return yield* idempotent(answers, request, tenant, body, (answered) =>
        inBody(starter.execute(tenant, id, version, answered(started), given))
      )
    })

    const save = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId | undefined
    ) {
      const file = fileOf(yield* formOf(tenant, request, { file: filePart }))
      const ifMatch = request.headers["if-match"]
      const into = { ...(id === undefined ? {} : { id }), ...(ifMatch === undefined ? {} : { ifMatch }) }
      const done = ({ id, version, warnings }: Saved) => ({
        body: { index: indexOf(tenant), id, tenant, ...(warnings.length === 0 ? {} : { warnings }) },
        etag: `"${tagOf(id, version)}"`,
        version
      })
      return yield* idempotent(answers, request, tenant, file.bytes, (answered) =>
        flowlines.save(tenant, file, into, answered(done))
      )
    })

    const get = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId,
      version: number | undefined
    ) {
      const { dag, platformId, savedAt, version: current } = yield* flowlines.get(tenant, id, version)
      const source = { "@timestamp": savedAt, platform_id: platformId, dag, tenant }
      return tagged(request, tagOf(id, current), () =>
        HttpServerResponse.jsonUnsafe({ index: indexOf(tenant), id, source, parameters: schemaOfParameters(dag) })
      )
    })

    return handlers
      .handle("list", ({ params, query }) =>
        listResponse("flowlines", TenantId(params.tenant), query, (span) =>
          flowlines.list(TenantId(params.tenant), span)
        )
      )
      .handleRaw("save", ({ params, query, request }) =>
        save(TenantId(params.tenant), request, query.id === undefined ? undefined : FlowlineId(query.id))
      )
      .handleRaw("executeOnce", ({ params, request }) => executeOnce(TenantId(params.tenant), request))
      .handleRaw("get", ({ params, query, request }) =>
        get(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handleRaw("execute", ({ params, query, request }) =>
        execute(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handle("remove", ({ params }) => flowlines.remove(TenantId(params.tenant), FlowlineId(params.id)))
  })
)
