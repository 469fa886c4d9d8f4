import { Effect } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { unknownName } from "../../languages/Suggest.ts"
import { declaresParameters } from "../executions/StoredFlowline.ts"
import { FlowlineStore, type FlowlineVersion } from "../flowlines/FlowlineStore.ts"
import { Flowlines } from "../flowlines/Flowlines.ts"
import { inBody } from "../flowlines/GivenParameters.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ScheduleRequest } from "./Schedule.ts"
import { type ScheduleKey, ScheduleStore } from "./ScheduleStore.ts"
import { signatureSecret } from "./Signature.ts"

/** The refusal of a schedule for one fault, at a JSON pointer into the body. */
export const invalid = (pointer: string, detail: string) =>
  new BadRequest({ detail: "The schedule is invalid", issues: [{ part: "body", pointer, detail }] })

/** Refuses a schedule for the faults that only the tenant's other things tell: flowlines, schedules and secrets. */
export const namesCheck = Effect.gen(function* () {
  const store = yield* ScheduleStore
  const flowlines = yield* FlowlineStore
  const validation = yield* Flowlines
  const secrets = yield* Secrets

  /** Refuses parameters that the flowline would refuse each time. */
  const checkParameters = Effect.fnUntraced(function* (
    tenant: TenantId,
    flowline: FlowlineVersion,
    { trigger, parameters = {} }: ScheduleRequest
  ) {
    // The bodies of such a webhook bring parameters, of which nothing is known yet.
    if (trigger.webhook?.body === "parameters") return
    yield* Effect.catchTag(inBody(validation.withParameters(tenant, flowline, parameters)), "BadRequest", (error) => {
      const issues = (error.issues ?? []).map((issue) =>
        issue.part === "body" ? issue : { part: "body", pointer: "/flowline", detail: issue.detail }
      )
      return new BadRequest({ detail: "The flowline cannot run by this schedule", issues })
    })
  })

  return Effect.fnUntraced(function* ({ tenant, name }: ScheduleKey, request: ScheduleRequest) {
    const { flowline, version, trigger } = request
    const found = yield* flowlines.get(tenant, FlowlineId(flowline), version)
    if (found === undefined) {
      const of = version === undefined ? "" : `version ${version} of a `
      return yield* invalid(
        version === undefined ? "/flowline" : "/version",
        `There is no ${of}saved flowline ${JSON.stringify(flowline)}`
      )
    }
    if (declaresParameters(found.dag)) yield* checkParameters(tenant, found, request)
    const { signature } = trigger.webhook ?? {}
    const secret = signature === undefined ? undefined : signatureSecret(signature)
    if (secret !== undefined) {
      const names = (yield* secrets.list(tenant)).map(({ name }) => name)
      if (!names.includes(secret)) {
        return yield* invalid("/trigger/webhook/signature/secret", unknownName(secret, names, "among the secrets"))
      }
    }
    const { flowline: first, schedule } = trigger.after ?? {}
    if (first !== undefined && !(yield* flowlines.isSaved(tenant, FlowlineId(first)))) {
      return yield* invalid("/trigger/after/flowline", `There is no saved flowline ${JSON.stringify(first)}`)
    }
    if (schedule !== undefined && schedule !== name) {
      const names = (yield* store.list(tenant)).map((one) => String(one.name))
      if (!names.includes(schedule)) {
        return yield* invalid("/trigger/after/schedule", unknownName(schedule, names, "among the schedules"))
      }
    }
  })
})
