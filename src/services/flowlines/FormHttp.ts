import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { parameterBytes } from "../../protocol/Parameters.ts"
import { formMemory } from "../http/FormMemory.ts"
import { readForm } from "../http/FormReader.ts"
import type { FormPart, PartRules } from "../shared/requests/FormRules.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { parametersPart } from "./Decoder.ts"
import type { FlowlineFile } from "./FlowlineFile.ts"
import { parametersOfPart } from "./GivenParameters.ts"

type Form = ReadonlyMap<string, FormPart>

/** The file of a form that has to have one. */
export const fileIn = (form: Form): FlowlineFile => {
  const { bytes, filename } = form.get("file")!
  return filename === undefined ? { bytes } : { bytes, name: filename }
}

/** The parameters of a form, and their bytes. */
export const parametersIn = Effect.fnUntraced(function* (form: Form) {
  const sent = form.get(parametersPart)?.bytes ?? new Uint8Array()
  return { sent, given: sent.length === 0 ? {} : yield* parametersOfPart(sent) }
})

/** Reads the forms of flowlines, with the limits of this gateway. */
export const flowlineForms = Effect.gen(function* () {
  const { limits } = yield* Settings
  const file = { limit: limits.flowlineFile, limitName: "flowlineFile", required: true }
  const parameters = { limit: parameterBytes, limitName: parametersPart, required: false }

  const reading = (parts: PartRules["parts"]) =>
    Effect.fnUntraced(function* (tenant: TenantId, request: HttpServerRequest.HttpServerRequest) {
      return yield* readForm(request, { parts, maxParts: limits.parts, hold: yield* formMemory(tenant) })
    })

  return {
    readFile: reading({ file }),
    readParameters: reading({ [parametersPart]: parameters }),
    readFileAndParameters: reading({ file, [parametersPart]: parameters })
  }
})
