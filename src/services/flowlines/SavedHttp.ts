import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { idempotent } from "../http/Idempotency.ts"
import { changeable, isConditional, readable } from "../http/Preconditions.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { tagged } from "../shared/reads/EntityTag.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { indexOf, tagOf } from "./FlowlineNames.ts"
import { Flowlines, type SavedFlowline } from "./Flowlines.ts"
import { fileIn, flowlineForms } from "./FormHttp.ts"
import { schemaOfParameters } from "./GivenParameters.ts"
import { Tries } from "./tries/Tries.ts"

/** The answer to a request that has saved a version. */
export const savedIn =
  (tenant: TenantId) =>
  ({ id, version, warnings }: SavedFlowline) => ({
    body: { index: indexOf(tenant), id, tenant, version, ...(warnings.length === 0 ? {} : { warnings }) },
    etag: `"${tagOf(id, version)}"`,
    version
  })

/** The version that a request with conditions is about, if that meets them; without any the one that it names. */
export const seenBy = Effect.fnUntraced(function* (
  flowlines: Flowlines["Service"],
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

/** The endpoints that save, read and delete a flowline. */
export const savedFlowlines = Effect.gen(function* () {
  const flowlines = yield* Flowlines
  const tries = yield* Tries
  const answers = yield* IdempotencyStore
  const { readFile } = yield* flowlineForms

  const save = Effect.fnUntraced(function* (
    tenant: TenantId,
    request: HttpServerRequest.HttpServerRequest,
    id: FlowlineId | undefined,
    isTested: boolean
  ) {
    const file = fileIn(yield* readFile(tenant, request))
    const ifMatch = request.headers["if-match"]
    const into = { ...(id === undefined ? {} : { id }), ...(ifMatch === undefined ? {} : { ifMatch }) }
    return yield* idempotent(answers, request, tenant, file.bytes, (answered) =>
      Effect.andThen(
        isTested ? tries.verify(tenant, file) : Effect.void,
        flowlines.save(tenant, file, into, answered(savedIn(tenant)))
      )
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
    yield* readable(request, { etag: tagOf(id, current) })
    return tagged(request, tagOf(id, current), () =>
      HttpServerResponse.jsonUnsafe({ index: indexOf(tenant), id, source, parameters: schemaOfParameters(dag) })
    )
  })

  const remove = Effect.fnUntraced(function* (
    tenant: TenantId,
    request: HttpServerRequest.HttpServerRequest,
    id: FlowlineId
  ) {
    yield* flowlines.remove(tenant, id, yield* seenBy(flowlines, tenant, request, id))
  })

  return { save, get, remove }
})
