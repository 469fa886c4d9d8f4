import { Brand, Schema } from "effect"
import { RunTrigger } from "../../protocol/Trigger.ts"
import { NodeCount } from "../runs/NodeCount.ts"
import { OutcomeWord, outcomeFields } from "../runs/RunOutcome.ts"

/** The id of an execution in its tenant: `<flowline id>-<epoch milliseconds>`. */
export type ExecutionId = Brand.Branded<string, "ExecutionId">
export const ExecutionId = Brand.nominal<ExecutionId>()

export const EndState = Schema.Literals(["SUCCEEDED", "FAILED", "CANCELLED", "LOST"])
export type EndState = typeof EndState.Type

export const ExecutionState = Schema.Literals(["PENDING", "RUNNING", ...EndState.literals])
export type ExecutionState = typeof ExecutionState.Type

export const ExecutionOutcome = OutcomeWord

/** Whether the state is final. */
export const hasEnded = (state: ExecutionState): boolean => state !== "PENDING" && state !== "RUNNING"

const timestamp = Schema.String.annotate({ description: "ISO 8601 UTC with milliseconds" })

/** The fields of an execution in lists. `duration` is in milliseconds, up to now while the execution runs. */
const fields = {
  id: Schema.String.annotate({ description: "<flowline id>-<epoch milliseconds>" }),
  jobId: Schema.optionalKey(Schema.String.annotate({ description: "Process of the run: <host>:<pid>" })),
  timestamp: timestamp.annotate({ description: "Time of the last event; before the first event, time of the request" }),
  duration: Schema.Int.annotate({ description: "Milliseconds from start to end, or up to now" }),
  tenant: Schema.String,
  event: Schema.optionalKey(Schema.String.annotate({ description: "Last event" })),
  flowlineId: Schema.String,
  state: ExecutionState,
  createdAt: timestamp.annotate({ description: "Time of the request" }),
  ...outcomeFields
}
const values = Schema.Record(Schema.String, Schema.Unknown)

export const Execution = Schema.Struct({
  ...fields,
  parameters: Schema.optionalKey(
    values.annotate({ description: "What it was given, if that has at most 2048 bytes; the detail has it in any case" })
  )
}).annotate({ identifier: "Execution" })

export const ExecutionEvent = Schema.Struct({
  timestamp,
  tenant: Schema.String,
  event: Schema.String.annotate({
    description: "<runtime>.application.start, .end, .failed or .cancelled",
    examples: ["stream.application.end"]
  }),
  seq: Schema.Int,
  detail: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(OutcomeWord)
}).annotate({ identifier: "ExecutionEvent" })

const detailFields = {
  ...fields,
  version: Schema.Int,
  runtime: Schema.String,
  startedAt: Schema.NullOr(timestamp),
  endedAt: Schema.NullOr(timestamp),
  error: Schema.NullOr(Schema.String),
  parameters: values.annotate({ description: "The values of the flowline's parameters, with defaults" }),
  variables: values.annotate({ description: "The tenant's variables that were used" }),
  environment: Schema.optionalKey(Schema.String.annotate({ description: "The environment whose variables they are" })),
  trigger: Schema.optionalKey(RunTrigger.annotate({ description: "What started it; absent for a request" })),
  events: Schema.Array(ExecutionEvent),
  nodes: Schema.Array(NodeCount)
}

/** An execution as `ExecutionStore` returns it: everything but its archive. */
export const ExecutionStatus = Schema.Struct(detailFields)
export type ExecutionStatus = typeof ExecutionStatus.Type

export const ExecutionDetail = Schema.Struct({
  ...detailFields,
  archive: Schema.NullOr(Schema.String.annotate({ description: "Id of the archive, if the run made one" }))
}).annotate({ identifier: "ExecutionDetail" })
export type ExecutionDetail = typeof ExecutionDetail.Type

export const OutputLine = Schema.Struct({
  seq: Schema.Int,
  timestamp,
  component: Schema.String,
  text: Schema.String
}).annotate({ identifier: "OutputLine" })

export const ExecutionOutput = Schema.Struct({
  id: Schema.String,
  state: ExecutionState,
  truncated: Schema.Boolean.annotate({ description: "Lines were dropped because the output has reached its limit" }),
  lines: Schema.Array(OutputLine)
}).annotate({ identifier: "ExecutionOutput" })
