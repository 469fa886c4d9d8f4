import { Effect, Result, Schema } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { parseCron, zoneFault } from "../../languages/cron/CronText.ts"
import { durationMillis } from "../../languages/DurationText.ts"
import { globFault } from "../../languages/Glob.ts"
import { isInstant } from "../../languages/TimestampText.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import { BackfillRequest, RunRequest, ScheduleRequest, triggerKinds } from "./Schedule.ts"
import type { ScheduleLink } from "./ScheduleStore.ts"
import { signatureSecret } from "./Signature.ts"

/** Bytes of parameters, as JSON. */
const mostParameters = 64 * 1024

const inBody = (pointer: string, detail: string, column?: number): Issue => ({
  part: "body",
  pointer,
  detail,
  ...(column === undefined ? {} : { line: 1, column })
})

const refuse = (what: string, issues: ReadonlyArray<Issue>) =>
  new BadRequest({ detail: `The ${what} is invalid`, issues })

const parameterFaults = (parameters: unknown): ReadonlyArray<Issue> =>
  parameters === undefined || JSON.stringify(parameters).length <= mostParameters
    ? []
    : [inBody("/parameters", `The parameters have more than ${mostParameters} characters as JSON`)]

const afterFaults = ({ after }: ScheduleRequest["trigger"]): ReadonlyArray<Issue> =>
  after === undefined || (after.flowline === undefined) !== (after.schedule === undefined)
    ? []
    : [inBody("/trigger/after", "Expected either `flowline` or `schedule`")]

const fileFaults = ({ file }: ScheduleRequest["trigger"]): ReadonlyArray<Issue> => {
  const fault = file === undefined ? undefined : globFault(file.path)
  return fault === undefined ? [] : [inBody("/trigger/file/path", fault)]
}

const signaturePointer = "/trigger/webhook/signature"

const notSecret = `Expected a reference to a secret of the tenant, such as \${secret:GITHUB_WEBHOOK}`

const signatureFaults = ({ webhook }: ScheduleRequest["trigger"]): ReadonlyArray<Issue> =>
  webhook?.signature === undefined || signatureSecret(webhook.signature) !== undefined
    ? []
    : [inBody(`${signaturePointer}/secret`, notSecret)]

/** The issue in words of schedules, and without a value that may be a secret that is not in the store. */
const told = (issue: Issue): Issue => {
  const { pointer = "" } = issue
  if (pointer === "/trigger") return { ...issue, detail: `Expected an object with one of ${triggerKinds.join(", ")}` }
  if (pointer === signaturePointer) return { ...issue, detail: "Expected an object with `secret` and `header`" }
  return pointer.startsWith(`${signaturePointer}/secret`) ? { ...issue, detail: notSecret } : issue
}

/** The faults of a request that its schema cannot express. */
const faultsOf = ({ trigger, parameters, catchUp, jitter }: ScheduleRequest): ReadonlyArray<Issue> => {
  const kinds = triggerKinds.filter((kind) => trigger[kind] !== undefined)
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    const given = kinds.length === 0 ? "there is none" : `there are ${kinds.join(" and ")}`
    return [inBody("/trigger", `Expected exactly one of ${triggerKinds.join(", ")}: ${given}`)]
  }
  const isTimed = kind === "cron" || kind === "every"
  const faults: Array<Issue> = [
    ...[...afterFaults(trigger), ...fileFaults(trigger), ...signatureFaults(trigger)],
    ...parameterFaults(parameters)
  ]
  if (trigger.zone !== undefined) {
    const fault = kind === "cron" ? zoneFault(trigger.zone) : "Only `cron` has a time zone"
    if (fault !== undefined) faults.push(inBody("/trigger/zone", fault))
  }
  if (trigger.cron !== undefined) {
    const cron = parseCron(trigger.cron)
    if (Result.isFailure(cron)) {
      faults.push(...cron.failure.map(({ detail, column }) => inBody("/trigger/cron", detail, column)))
    }
  }
  for (const [name, value] of Object.entries({ catchUp, jitter })) {
    if (value !== undefined && !isTimed) faults.push(inBody(`/${name}`, "Only `cron` and `every` have it"))
  }
  if (trigger.every !== undefined && jitter !== undefined && durationMillis(jitter) > durationMillis(trigger.every)) {
    faults.push(inBody("/jitter", "It is longer than the interval"))
  }
  return faults
}

/** Decodes a schedule that was sent, or names all its faults. */
export const readSchedule = Effect.fnUntraced(function* (body: unknown) {
  const request = yield* Effect.mapError(Schema.decodeUnknownEffect(ScheduleRequest, strict)(body), (error) =>
    refuse("schedule", issuesOf(error, "body").map(told))
  )
  const faults = faultsOf(request)
  return faults.length === 0 ? request : yield* refuse("schedule", faults)
})

/** Decodes what a run is given. */
export const readRun = Effect.fnUntraced(function* (body: unknown) {
  const request = yield* Effect.mapError(Schema.decodeUnknownEffect(RunRequest, strict)(body), (error) =>
    refuse("run", issuesOf(error, "body"))
  )
  const faults = parameterFaults(request.parameters)
  return faults.length === 0 ? request : yield* refuse("run", faults)
})

/** Decodes a backfill. Times are epoch milliseconds. */
export const readBackfill = Effect.fnUntraced(function* (body: unknown) {
  const {
    from,
    to,
    parallel = 1
  } = yield* Effect.mapError(Schema.decodeUnknownEffect(BackfillRequest, strict)(body), (error) =>
    refuse("backfill", issuesOf(error, "body"))
  )
  const faults: Array<Issue> = []
  const read = (name: string, text: string) => {
    const time = isInstant(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(time))
      faults.push(inBody(`/${name}`, "Expected a time with its zone, such as 2026-01-01T00:00:00Z"))
    return time
  }
  const [first = 0, end = 0] = Object.entries({ from, to }).map(([name, text]) => read(name, text))
  if (faults.length === 0 && end <= first) faults.push(inBody("/to", "Expected a time after `from`"))
  return faults.length === 0 ? { from: first, to: end, parallel } : yield* refuse("backfill", faults)
})

/** The names of a circle that `link` closes among the others: each fires after the next one, for ever. */
export const circleOf = (
  link: ScheduleLink,
  others: ReadonlyArray<ScheduleLink>
): ReadonlyArray<string> | undefined => {
  const all = [...others, link]
  const seen = new Set<string>()
  const follow = (one: ScheduleLink, path: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    const before = all.filter(
      ({ name, flowlineId }) =>
        name === one.afterSchedule || (one.afterFlowline !== null && flowlineId === one.afterFlowline)
    )
    for (const next of before) {
      if (next.name === link.name) return [...path, next.name]
      if (seen.has(next.name)) continue
      seen.add(next.name)
      const found = follow(next, [...path, next.name])
      if (found !== undefined) return found
    }
    return undefined
  }
  return follow(link, [link.name])
}
