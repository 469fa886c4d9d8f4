import { Schema } from "effect"
import { NodeCount } from "../runs/NodeCount.ts"
import { outcomeFields } from "../runs/RunOutcome.ts"
import { ChannelStatus, JobStatus } from "./Job.ts"

const status = ChannelStatus.annotate({
  description:
    "STOPPED: none runs and none should. ACTIVE: every job that should run runs. DEGRADED: some do not. FAILED: none " +
    "does. FINISHED: all have reached their end. INVALID: the folder cannot be used."
})
const reason = Schema.optionalKey(Schema.String.annotate({ description: "Why the channel is invalid" }))

export const ChannelEntry = Schema.Struct({ name: Schema.String, status, reason }).annotate({
  identifier: "ChannelEntry"
})
export type ChannelEntry = typeof ChannelEntry.Type

export const ChannelList = Schema.Struct({
  children: Schema.Array(ChannelEntry),
  errors: Schema.Array(ChannelEntry)
}).annotate({ identifier: "ChannelList" })
export type ChannelList = typeof ChannelList.Type

const timestamp = Schema.String.annotate({ description: "ISO 8601 UTC with milliseconds" })

const Job = Schema.Struct({
  cluster: Schema.String,
  name: Schema.String.annotate({ description: "<channel>/<cluster>/<job>" }),
  runtimeId: Schema.String.annotate({ description: "tenants/<tenant>/channels/<channel>/<cluster>/<job>" }),
  status: JobStatus,
  task: Schema.String.annotate({ description: "The flowline file, as a path in the tenant's configuration" }),
  desired: Schema.Literals(["STOPPED", "ACTIVE"]),
  since: Schema.NullOr(timestamp.annotate({ description: "When the status began" })),
  restarts: Schema.Int.annotate({ description: "Failed runs that were followed by another one, since the start" }),
  lastError: Schema.NullOr(Schema.String),
  node: Schema.NullOr(Schema.String.annotate({ description: "The gateway that keeps the job: <host>:<pid>" })),
  jobId: Schema.NullOr(Schema.String.annotate({ description: "Process of the run: <host>:<pid>" })),
  nextRun: Schema.NullOr(
    timestamp.annotate({
      description: "When the schedule starts it next, or when it is tried again after a failed run"
    })
  ),
  failures: Schema.optionalKey(
    Schema.Array(Schema.Struct({ timestamp, error: Schema.optionalKey(Schema.String) })).annotate({
      description: "Failed runs since the start, of the hour before the last one: at most 20, the oldest first"
    })
  ),
  parameters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "What the channel's structure gives the flowline"
    })
  ),
  ...outcomeFields,
  nodes: Schema.Array(NodeCount)
}).annotate({ identifier: "Job" })

export const ChannelDetail = Schema.Struct({ status, reason, jobs: Schema.Array(Job) }).annotate({
  identifier: "ChannelDetail"
})
export type ChannelDetail = typeof ChannelDetail.Type

export const JobOutput = Schema.Struct({
  lines: Schema.Array(Schema.Struct({ seq: Schema.Int, timestamp, component: Schema.String, text: Schema.String }))
}).annotate({ identifier: "JobOutput" })
