import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { formMemory } from "../http/FormMemory.ts"
import { readForm } from "../http/FormReader.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { parametersPart } from "./Decoder.ts"
import { parametersIn } from "./FormHttp.ts"
import { Tries } from "./tries/Tries.ts"
import { readTry, tryRules } from "./tries/TryForm.ts"

/** The endpoint that tries a flowline on samples. */
export const tryEndpoint = Effect.gen(function* () {
  const tries = yield* Tries
  const { limits } = yield* Settings

  const tryOut = Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
    const form = yield* readForm(request, { ...tryRules(limits), hold: yield* formMemory(tenant) })
    const asked = yield* Effect.fromResult(readTry(form))
    const { given } = yield* parametersIn(form)
    const answer = asked.isCheck
      ? tries.check(tenant, asked, form.has(parametersPart) ? given : undefined)
      : tries.run(tenant, asked, given)
    return HttpServerResponse.jsonUnsafe(yield* answer)
  })

  return { tryOut }
})
