import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { parameterBytes } from "../../protocol/Parameters.ts"
import { download } from "../http/Download.ts"
import { formMemory } from "../http/FormMemory.ts"
import { readForm } from "../http/FormReader.ts"
import { idempotent } from "../http/Idempotency.ts"
import { readOptionalJson } from "../http/JsonBody.ts"
import { jsonText } from "../http/JsonText.ts"
import { listResponse } from "../http/Paging.ts"
import { changeable, isConditional, readable } from "../http/Preconditions.ts"
import { tagged } from "../shared/EntityTag.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { type FormPart, isForm, type PartRules } from "../shared/Form.ts"
import { IdempotencyStore } from "../shared/IdempotencyStore.ts"
import { mediaTypeOf } from "../shared/MediaType.ts"
import { RequestMemory } from "../shared/RequestMemory.ts"
import { Settings } from "../shared/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { textDigest } from "../shared/TextDigest.ts"
import { type FlowlineFile, parametersPart } from "./Decoder.ts"
import { indexOf, tagOf } from "./FlowlineNames.ts"
import { Flowlines, type Saved, type Started, Starter } from "./Flowlines.ts"
import { definitionOf, FlowlineVersions, fileOf as fileOfVersion, textOf } from "./FlowlineVersions.ts"
import { inBody, parametersOfBody, parametersOfPart, schemaOfParameters } from "./GivenParameters.ts"
import { Tries } from "./Tries.ts"
import { readTry, tryRules } from "./TryForm.ts"

/** Memory of a version in bytes: its file, its definition, and the answer that is made of both. */
const versionBytes = 24 * 1024 * 1024

interface VersionParams {
  readonly tenant: string
  readonly id: string
  readonly version: number
}

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
    const versions = yield* FlowlineVersions
    const tries = yield* Tries
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

    /** The version that a request with conditions is about, if that meets them; without any the one that it names. */
    const seenBy = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId,
      version?: number
    ) {
      if (!isConditional(request)) return version
      const found = yield* flowlines.get(tenant, id, version)
      yield* changeable(request, { etag: tagOf(id, found.version), lastModified: new Date(found.savedAt) })
      return found.version
    })

    const execute = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId,
      version: number | undefined
    ) {
      if (isForm(request.headers["content-type"])) {
        const { sent, given } = yield* givenIn(yield* formOf(tenant, request, { [parametersPart]: parametersRule }))
        return yield* idempotent(answers, request, tenant, sent, (answered) =>
          Effect.flatMap(seenBy(tenant, request, id, version), (seen) =>
            starter.execute(tenant, id, seen, answered(started), given)
          )
        )
      }
      const { body, value } = yield* readOptionalJson(request, limits.jsonBody)
      const given = yield* parametersOfBody(body, value)
      return yield* idempotent(answers, request, tenant, body, (answered) =>
        Effect.flatMap(seenBy(tenant, request, id, version), (seen) =>
          inBody(starter.execute(tenant, id, seen, answered(started), given))
        )
      )
    })

    const save = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId | undefined,
      isTested: boolean
    ) {
      const file = fileOf(yield* formOf(tenant, request, { file: filePart }))
      const ifMatch = request.headers["if-match"]
      const into = { ...(id === undefined ? {} : { id }), ...(ifMatch === undefined ? {} : { ifMatch }) }
      return yield* idempotent(answers, request, tenant, file.bytes, (answered) =>
        Effect.andThen(
          isTested ? tries.verify(tenant, file) : Effect.void,
          flowlines.save(tenant, file, into, answered(savedIn(tenant)))
        )
      )
    })

    const savedIn =
      (tenant: TenantId) =>
      ({ id, version, warnings }: Saved) => ({
        body: { index: indexOf(tenant), id, tenant, version, ...(warnings.length === 0 ? {} : { warnings }) },
        etag: `"${tagOf(id, version)}"`,
        version
      })

    const readVersion = Effect.fnUntraced(function* ({ tenant: name, id, version }: VersionParams) {
      const tenant = TenantId(name)
      const memory = yield* RequestMemory
      const held = yield* memory.hold(tenant, versionBytes)
      const found = yield* versions.get(tenant, FlowlineId(id), version)
      const file = fileOfVersion(found)
      return { tenant, held, found, file }
    })

    const version = Effect.fnUntraced(function* (params: VersionParams) {
      const { found, held, file } = yield* readVersion(params)
      const body = {
        id: found.id,
        version: found.version,
        "@timestamp": found.savedAt,
        platformId: found.platformId,
        current: found.version === found.current,
        original: found.file !== undefined,
        size: (found.file?.bytes ?? new TextEncoder().encode(found.dag)).length,
        filename: found.file?.name ?? null,
        restored: found.restored ?? null,
        sha256: yield* textDigest(found.dag),
        flowline: definitionOf(found),
        text: textOf(file)
      }
      return yield* jsonText(JSON.stringify(body), held)
    })

    const downloaded = Effect.fnUntraced(function* (
      params: VersionParams,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const { tenant, found, file } = yield* readVersion(params)
      const { bytes, name = found.id } = file
      return yield* download({
        tenant,
        request,
        size: bytes.length,
        etag: tagOf(found.id, found.version),
        lastModified: new Date(found.savedAt),
        filename: name,
        contentType: mediaTypeOf(name),
        disposition: "attachment",
        read: ({ start, end }) => Effect.succeed(Stream.make(bytes.subarray(start, end)))
      })
    })

    const tryOut = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      const form = yield* readForm(request, { ...tryRules(limits), hold: yield* formMemory(tenant) })
      const asked = yield* Effect.fromResult(readTry(form))
      const { given } = yield* givenIn(form)
      const answer = asked.isCheck
        ? tries.check(tenant, asked, form.has(parametersPart) ? given : undefined)
        : tries.run(tenant, asked, given)
      return HttpServerResponse.jsonUnsafe(yield* answer)
    })

    const get = Effect.fnUntraced(function* (
      tenant: TenantId,
      request: HttpServerRequest.HttpServerRequest,
      id: FlowlineId,
      version: number | undefined
    ) {
      const { dag, platformId, savedAt, version: current } = yield* flowlines.get(tenant, id, version)
      const source = { "@timestamp": savedAt, platform_id: platformId, dag, tenant }
      yield* readable(request, { etag: tagOf(id, current) })
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
        save(
          TenantId(params.tenant),
          request,
          query.id === undefined ? undefined : FlowlineId(query.id),
          query.test === "true"
        )
      )
      .handleRaw("executeOnce", ({ params, request }) => executeOnce(TenantId(params.tenant), request))
      .handleRaw("tryOut", ({ params, request }) => tryOut(TenantId(params.tenant), request))
      .handleRaw("get", ({ params, query, request }) =>
        get(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handleRaw("execute", ({ params, query, request }) =>
        execute(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handle("versions", ({ params, query }) =>
        Effect.flatMap(versions.list(TenantId(params.tenant), FlowlineId(params.id)), (rows) =>
          listResponse(`versions of ${params.id}`, TenantId(params.tenant), query, rows)
        )
      )
      .handleRaw("version", ({ params }) => version(params))
      .handleRaw("file", ({ params, request }) => downloaded(params, request))
      .handleRaw(
        "diff",
        Effect.fnUntraced(function* ({ params }) {
          const tenant = TenantId(params.tenant)
          const held = yield* (yield* RequestMemory).hold(tenant, 2 * versionBytes)
          const diff = yield* versions.diff(tenant, FlowlineId(params.id), params.version, params.other)
          return yield* jsonText(JSON.stringify(diff), held)
        })
      )
      .handleRaw("restore", ({ params, request }) => {
        const tenant = TenantId(params.tenant)
        const ifMatch = request.headers["if-match"]
        return idempotent(answers, request, tenant, new Uint8Array(), (answered) =>
          versions.restore(tenant, FlowlineId(params.id), params.version, ifMatch, answered(savedIn(tenant)))
        )
      })
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params, request }) {
          const tenant = TenantId(params.tenant)
          const id = FlowlineId(params.id)
          yield* flowlines.remove(tenant, id, yield* seenBy(tenant, request, id))
        })
      )
  })
)
