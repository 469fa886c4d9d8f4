import { Brand, Schema } from "effect"
import { Span } from "../../languages/DurationText.ts"
import { RelativePath } from "../shared/requests/RelativePath.ts"
import { Signature } from "./Signature.ts"

/** The name of a schedule in its tenant. */
export type ScheduleName = Brand.Branded<string, "ScheduleName">
export const ScheduleName = Brand.nominal<ScheduleName>()

/** Letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
export const scheduleName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** The id of a flowline. PostgreSQL cannot compare anything with a NUL. */
const flowlineId = (description: string) =>
  Schema.NonEmptyString.check(Schema.isPattern(/^[^\u0000]*$/, { expected: "a text without NUL" })).annotate({
    description
  })

const After = Schema.Struct({
  flowline: Schema.optionalKey(flowlineId("Id of a flowline: after its executions")),
  schedule: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "Name of another schedule: after its executions" })
  ),
  on: Schema.optionalKey(
    Schema.Literals(["success", "failure", "any"]).annotate({ description: "After which ends; success by default" })
  )
})

/** Checked before the form of the path, so that the fault says where such files can be. */
const elsewhere = Schema.makeFilter((path: string) => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    return "Only files of folders are watched: fire at times, `cron` or `every`, to read objects of a storage"
  }
  return path.startsWith("/")
    ? "The path has to be relative: files elsewhere need a `root`, which the operator names with FLOW_ROOTS"
    : undefined
})

const NewFile = Schema.Struct({
  root: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(100)).annotate({
      description: "Root in which the files are; by default the tenant's configuration folder and its data area"
    })
  ),
  path: Schema.String.check(elsewhere)
    .pipe(Schema.decodeTo(RelativePath))
    .annotate({ description: "Path or glob of the files, as `file_input` reads them" }),
  restsFor: Schema.optionalKey(
    Span.annotate({ description: "A file is complete when it has not changed for so long; 10s by default" })
  )
})

const Webhook = Schema.Struct({
  body: Schema.optionalKey(
    Schema.Literals(["records", "parameters"]).annotate({
      description: "What the body is to the run: records of `trigger_input` (by default), or parameters (a JSON object)"
    })
  ),
  signature: Schema.optionalKey(
    Signature.annotate({ description: "How requests are signed that come without the token" })
  ),
  perMinute: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6000 })).annotate({
      description: "Requests a minute, in all gateways together; 60 by default"
    })
  )
})

/** What fires a schedule: exactly one of `cron`, `every`, `after`, `file` and `webhook`. */
export const Trigger = Schema.Struct({
  cron: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(1000)).annotate({
      description: "Cron expression of five fields, or six with the second first, or a name such as @daily"
    })
  ),
  zone: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(100)).annotate({
      description: "Time zone of `cron`; UTC by default"
    })
  ),
  every: Schema.optionalKey(Span.annotate({ description: "Interval, counted from when the schedule was made" })),
  after: Schema.optionalKey(After),
  file: Schema.optionalKey(NewFile),
  webhook: Schema.optionalKey(Webhook)
})
export type Trigger = typeof Trigger.Type

/** JSON values by name, handed to the execution. */
export const Parameters = Schema.Record(Schema.String, Schema.Unknown)
export type Parameters = typeof Parameters.Type

/** What a schedule is to do, as it is sent. */
export const ScheduleRequest = Schema.Struct({
  flowline: flowlineId("Id of the saved flowline"),
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 })).annotate({
      description: "A version of it; by default the one that is current when the schedule fires"
    })
  ),
  trigger: Trigger,
  overlap: Schema.optionalKey(
    Schema.Literals(["skip", "queue", "allow"]).annotate({
      description:
        "What a firing does while an execution of the schedule is open. By default `skip` for times, `queue` for all else"
    })
  ),
  catchUp: Schema.optionalKey(
    Schema.Literals(["none", "last", "all"]).annotate({
      description:
        "Which times are made up for that no gateway was there for: none, the last one (by default), the last 100"
    })
  ),
  jitter: Schema.optionalKey(Span.annotate({ description: "Fires up to so much later, by a share of its own" })),
  parameters: Schema.optionalKey(Parameters.annotate({ description: "Parameters of the executions, a JSON object" })),
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1000)))
}).annotate({ identifier: "ScheduleRequest" })
export type ScheduleRequest = typeof ScheduleRequest.Type

/** How a firing came to be. */
const firingKinds = ["cron", "every", "after", "file", "webhook", "run", "backfill"] as const
export type FiringKind = (typeof firingKinds)[number]

/** The part of a trigger that fires. */
export const triggerKinds = ["cron", "every", "after", "file", "webhook"] as const
export type TriggerKind = (typeof triggerKinds)[number]

/** The kind of a trigger that was checked. */
export const kindOf = (trigger: Trigger): TriggerKind =>
  triggerKinds.find((kind) => trigger[kind] !== undefined) ?? "cron"

export const overlapOf = ({ overlap, trigger }: ScheduleRequest): "skip" | "queue" | "allow" =>
  overlap ?? (trigger.cron === undefined && trigger.every === undefined ? "queue" : "skip")

const time = Schema.NullOr(Schema.String)

const scheduleFields = {
  name: Schema.String,
  ...ScheduleRequest.fields,
  paused: Schema.Boolean,
  next: time.annotate({ description: "The next time; null without one" }),
  fault: Schema.NullOr(Schema.String).annotate({
    description: "What keeps it from firing, such as that its flowline is gone or a folder cannot be read"
  }),
  createdAt: Schema.String,
  changedAt: Schema.String
}

/** A schedule as it is read. */
export const Schedule = Schema.Struct(scheduleFields).annotate({ identifier: "Schedule" })

/** A schedule that was just stored. */
export const StoredSchedule = Schema.Struct({
  ...scheduleFields,
  token: Schema.optionalKey(
    Schema.String.annotate({ description: "The token of its webhook, when it is new. No other answer ever has it" })
  )
}).annotate({ identifier: "StoredSchedule" })
export type StoredSchedule = typeof StoredSchedule.Type

export const HookToken = Schema.Struct({
  token: Schema.String.annotate({ description: "The new token; the former one holds no longer" })
}).annotate({ identifier: "HookToken" })

/**
 * `WAITING` and `STARTED` firings are open. `SKIPPED`: another execution was open. `REFUSED`: it could not start.
 * `MISSED`: no gateway was there. The others are the state in which the execution has ended.
 */
const firingStates = [
  "WAITING",
  "STARTED",
  "SUCCEEDED",
  "FAILED",
  "CANCELLED",
  "LOST",
  "SKIPPED",
  "REFUSED",
  "MISSED"
] as const

export const Firing = Schema.Struct({
  id: Schema.String,
  schedule: Schema.String,
  kind: Schema.Literals(firingKinds),
  state: Schema.Literals(firingStates),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it did not start, or why its execution failed" }),
  scheduledAt: Schema.String.annotate({ description: "The time that it is for, also when it comes later" }),
  createdAt: Schema.String,
  startedAt: time,
  endedAt: time,
  file: Schema.NullOr(Schema.String).annotate({ description: "The file that it is for" }),
  backfill: Schema.NullOr(Schema.String).annotate({ description: "Id of the backfill that it belongs to" }),
  flowlineId: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.Int),
  execution: Schema.NullOr(Schema.String).annotate({ description: "Id of the execution" })
}).annotate({ identifier: "Firing" })
export type Firing = typeof Firing.Type

export const RunRequest = Schema.Struct({
  parameters: Schema.optionalKey(Parameters.annotate({ description: "Parameters besides those of the schedule" }))
}).annotate({ identifier: "RunRequest" })

export const BackfillRequest = Schema.Struct({
  from: Schema.String.annotate({ description: "The first time: ISO 8601 with a zone" }),
  to: Schema.String.annotate({ description: "The time before which the last one is" }),
  parallel: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16 })).annotate({
      description: "Executions that may be open at once; 1 by default"
    })
  )
}).annotate({ identifier: "BackfillRequest" })

export const Backfill = Schema.Struct({
  id: Schema.String,
  from: Schema.String,
  to: Schema.String,
  parallel: Schema.Int,
  firings: Schema.Int.annotate({ description: "Number of its times" }),
  waiting: Schema.Int,
  open: Schema.Int.annotate({ description: "Executions that wait or run" }),
  succeeded: Schema.Int,
  createdAt: Schema.String,
  cancelledAt: time
}).annotate({ identifier: "Backfill" })
export type Backfill = typeof Backfill.Type
