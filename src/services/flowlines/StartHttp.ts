import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { concatBytes } from "../../languages/ConcatBytes.ts"
import { idempotent } from "../http/Idempotency.ts"
import { readOptionalJson } from "../http/JsonBody.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { isForm } from "../shared/requests/FormRules.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { Flowlines } from "./Flowlines.ts"
import { fileIn, flowlineForms, parametersIn } from "./FormHttp.ts"
import { inBody, parametersOfBody } from "./GivenParameters.ts"
import { seenBy } from "./SavedHttp.ts"
import { type StartedExecution, Starter } from "./Starter.ts"

const started = ({ id }: StartedExecution) => ({ body: { id } })

/** No byte of UTF-8, so that no two pairs of a file and its parameters are the same body. */
const between = Uint8Array.of(0xff)

/** The endpoints that start executions: of a file, and of a saved flowline. */
export const starts = Effect.gen(function* () {
  const flowlines = yield* Flowlines
  const starter = yield* Starter
  const answers = yield* IdempotencyStore
  const { limits } = yield* Settings
  const { readParameters, readFileAndParameters } = yield* flowlineForms

  const executeOnce = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
    const form = yield* readFileAndParameters(tenant, request)
    const file = fileIn(form)
    const { sent, given } = yield* parametersIn(form)
    const body = sent.length === 0 ? file.bytes : concatBytes([file.bytes, between, sent])
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
    if (isForm(request.headers["content-type"])) {
      const { sent, given } = yield* parametersIn(yield* readParameters(tenant, request))
      return yield* idempotent(answers, request, tenant, sent, (answered) =>
        Effect.flatMap(seenBy(flowlines, tenant, request, id, version), (seen) =>
          starter.execute(tenant, id, seen, answered(started), given)
        )
      )
    }
    const { body, value } = yield* readOptionalJson(request, {
      limit: limits.jsonBody,
      keepsDigits: ["parameters"],
      check: parametersOfBody
    })
    const given = yield* parametersOfBody(value, body)
    return yield* idempotent(answers, request, tenant, body, (answered) =>
      Effect.flatMap(seenBy(flowlines, tenant, request, id, version), (seen) =>
        inBody(starter.execute(tenant, id, seen, answered(started), given))
      )
    )
  })

  return { executeOnce, execute }
})
