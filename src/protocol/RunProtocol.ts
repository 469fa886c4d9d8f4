import { Redacted, Schema } from "effect"
import type { TenantDefinitions } from "../languages/grok/TenantDefinitions.ts"
import type { Allowances } from "./Allowances.ts"
import type { Flowline } from "./Flowline.ts"
import type { PythonPlace } from "./Isolation.ts"
import type { BlobPlace, SearchAddress } from "./Places.ts"
import type { ResolvedReferences } from "./References.ts"
import type { Roots } from "./Roots.ts"
import type { SecretValues } from "./Secrets.ts"
import { type Trial, TrialReport } from "./Trial.ts"
import type { RunTrigger, TriggerBody } from "./Trigger.ts"

/** Argument of a child that exits if it had to compile its modules itself, so that a faster one replaces it. */
export const leaveWhenCold = "--leave-when-cold"

/**
 * Modules that only some runs need and that a waiting child can load in advance: the analytics runtime with its
 * database, or the search client.
 */
export type Readiness = "analytics" | "search"

/** Argument that makes a waiting child load the part. */
export const readyFor = (part: Readiness): string => `--ready-for-${part}`

/** A run of a flowline. `epoch` counts the attempts of the execution from 1. */
export interface RunSpec {
  readonly tenant: string
  readonly executionId: string
  readonly epoch: number
  readonly flowline: Flowline
  /** The files that the flowline refers to. */
  readonly references?: ResolvedReferences
  /** The tenant's own grok patterns, if a node may use them. */
  readonly patterns?: TenantDefinitions
  /** The Python files among the tenant's artifacts, if the flowline may use them. */
  readonly modules?: ReadonlyArray<readonly [name: string, text: string]>
  /** The key of the stored positions of the inputs: the id of the execution, or the scope of a job. */
  readonly scope?: string
  /** The values of the secrets that the flowline refers to; absent when there are none. */
  readonly secrets?: Redacted.Redacted<SecretValues>
  /** Whether the run is a job that is kept running: it has no default time limit, and its output limits are per second. */
  readonly lasting?: boolean
  /** The name of what is run, for the ids of sent records: see `RunContext.origin`. */
  readonly origin?: string
  /** The name of what is run, for inputs that every attempt reads from their beginning: see `RunContext.work`. */
  readonly work?: string
  /** What started the execution, and the body of its webhook. */
  readonly trigger?: RunTrigger
  readonly triggerBody?: TriggerBody
  /** The roots that the flowline names; writable where it writes. */
  readonly roots?: Roots
  /** The names of all roots of the tenant, for messages. */
  readonly rootNames?: ReadonlyArray<string>
  /** The limits of the tenant that the run keeps. */
  readonly allowances?: Allowances
  /** The positions of the inputs that the last attempt with this scope saved, by component. */
  readonly positions?: Readonly<Record<string, unknown>>
  /** What nodes have left in the last successful execution of the saved flowline, by component. */
  readonly carried?: Readonly<Record<string, unknown>>
  /** Makes the run a trial, which writes nothing. */
  readonly trial?: Trial
}

/** Limits on the output of a run. */
export interface RunLimits {
  /** Maximum number of lines and of bytes that a run may print. */
  readonly outputLines: number
  readonly outputBytes: number
  /** Maximum number of bytes in the data files of a run, and in its archive before compression. */
  readonly fileBytes: number
}

/**
 * The order for a child, sent to its standard input as one line of JSON. The pipe stays open afterwards; when it ends,
 * the gateway is gone.
 */
export interface Order extends RunLimits {
  readonly blobs: BlobPlace
  /** The database of the tenant's indices; absent if there is none or no node searches. */
  readonly search?: SearchAddress | undefined
  /** Memory limit of the run in MiB. */
  readonly memoryMib: number
  /** Addresses that nodes may connect to besides public ones: the operator's list, which no flowline can change. */
  readonly outbound: ReadonlyArray<string>
  /** The ports that the gateway itself listens on: no node may, on any address. */
  readonly ownPorts: ReadonlyArray<number>
  readonly spec: RunSpec
  /** The tenant's configuration folder. */
  readonly conf: string
  /** The folders outside of these that the run may use: only those that its flowline names. */
  readonly roots: Roots
  /** The tenant's data folder: finished files. */
  readonly data: string
  /** Folder for the run's unfinished data files, on the volume of `data`. The parent removes it after the child's end. */
  readonly unfinished: string
  /** Folder for the run's temporary files. The parent removes it after the child's end. */
  readonly scratch: string
  readonly archiveLevel: number
  /** Where a run with Python nodes starts Python. */
  readonly python?: PythonPlace | undefined
}

/** Encodes the order as one line. Credentials and secrets are written in plain text here and nowhere else. */
export const encodeOrder = (order: Order): string =>
  JSON.stringify({
    ...order,
    spec:
      order.spec.secrets === undefined ? order.spec : { ...order.spec, secrets: Redacted.value(order.spec.secrets) },
    blobs:
      order.blobs.kind === "disk"
        ? order.blobs
        : { ...order.blobs, credentials: Redacted.value(order.blobs.credentials) },
    ...(order.search === undefined ? {} : { search: { ...order.search, url: Redacted.value(order.search.url) } })
  })

/** Decodes a line of {@link encodeOrder}. */
export const decodeOrder = (line: string): Order => {
  const { blobs, search, spec, ...order } = JSON.parse(line)
  return {
    ...order,
    spec: spec.secrets === undefined ? spec : { ...spec, secrets: Redacted.make(spec.secrets) },
    blobs: blobs.kind === "disk" ? blobs : { ...blobs, credentials: Redacted.make(blobs.credentials) },
    ...(search === undefined ? {} : { search: { ...search, url: Redacted.make(search.url) } })
  }
}

/** The values of the secrets of the order. */
export const secretsIn = ({ secrets }: Pick<RunSpec, "secrets">): SecretValues =>
  secrets === undefined ? {} : Redacted.value(secrets)

/** Counters of one node, since the start of the run. */
export interface NodeCounters {
  readonly component: string
  readonly recordsIn: number
  readonly recordsOut: number
  /** The final value of `recordsOut`, if the node knows it. */
  readonly total?: number
  /** Unread bytes of a followed input. */
  readonly lag?: number
  /** Records that were passed on to a node and that it has not processed yet, if there are any. */
  readonly waiting?: number
  /** Records that went out on each stream, of a node that publishes several streams besides `errors`. */
  readonly streams?: Readonly<Record<string, number>>
  readonly errors: number
  /** Files that an input has read. */
  readonly files?: number
  /** Records that a node has matched or enriched, and those that it has not. */
  readonly matched?: number
  readonly unmatched?: number
  /** Records that a node was meant to hold back, such as those that a filter drops. */
  readonly dropped?: number
  /** How often a node has read a changed file again, and how often it could not and kept what it had. */
  readonly reloads?: number
  readonly failedReloads?: number
  /** The reason why a record was rejected. */
  readonly lastError?: string
  /** Bytes that the encoding of an input does not have, and that became U+FFFD. */
  readonly replacedBytes?: number
  /** Something that the user should know although nothing failed. */
  readonly warning?: string
}

/** What nodes count themselves. */
export type NodeCounter = "files" | "matched" | "unmatched" | "reloads" | "failedReloads"

/** The counters of a node that has read bytes which its encoding does not have. */
export const replacedCounts = (bytes: number): { readonly replacedBytes?: number; readonly warning?: string } =>
  bytes === 0
    ? {}
    : {
        replacedBytes: bytes,
        warning: `${bytes} bytes of the input are not in its encoding and became U+FFFD: set encoding to the one it has`
      }

/** A message of a run. `Started` is the first one, and exactly one `Ended` is the last one. */
export type RunMessage =
  /** `jobId` names the process: `<host>:<pid>`. */
  | { readonly _tag: "Started"; readonly jobId: string; readonly pid: number; readonly at: number }
  | {
      readonly _tag: "Output"
      readonly lines: ReadonlyArray<{ readonly component: string; readonly text: string; readonly at: number }>
    }
  /** The output has reached its limit, so further lines are dropped. */
  | { readonly _tag: "Truncated" }
  | { readonly _tag: "Counters"; readonly nodes: ReadonlyArray<NodeCounters> }
  /**
   * The positions of the nodes, by component, and of the files that they append to, by path. They belong together:
   * everything before them is durable, or was sent in earlier messages.
   */
  | {
      readonly _tag: "Positions"
      readonly positions: Readonly<Record<string, unknown>>
      readonly files: Readonly<Record<string, unknown>>
    }
  /** A data file is complete. The run waits for {@link mayPublish} before it puts the file in its place. */
  | { readonly _tag: "Publishing" }
  /** The sealed archive, already stored as a blob. */
  | { readonly _tag: "Archived"; readonly sha256: string; readonly size: number; readonly entries: number }
  /** What one case of a trial found; they come in their order. */
  | { readonly _tag: "Tried"; readonly report: TrialReport }
  | {
      readonly _tag: "Ended"
      readonly outcome: "succeeded" | "failed"
      /** The reason of the failure for the user, without stack traces and absolute paths. */
      readonly error?: string
      readonly component?: string
      /** The run ended itself because its gateway was silent for too long, so it may be repeated on any gateway. */
      readonly abandoned?: boolean
      /** Of a run that has succeeded: what its nodes leave to the next execution, by component. */
      readonly carried?: Readonly<Record<string, unknown>>
      readonly at: number
    }

/**
 * What the parent writes to the child's standard input when the claim of the run has been confirmed after `Publishing`:
 * a run whose claim another gateway has taken must not replace a file.
 */
export const mayPublish = "+"

/** The file descriptor on which a child sends messages, one line of JSON each. */
export const channelFd = 3

/**
 * The file descriptor of the gateway's signs of life: a file with the time of the last one, 8 bytes, nanoseconds of the
 * system's monotonic clock. A line after the order tells whether there are any.
 */
export const signsFd = 4

/** Maximum length of a line on the channel. */
export const maxMessageBytes = 16 * 1024 * 1024

/** Epoch milliseconds of a date that JavaScript and PostgreSQL know. */
const Instant = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))

const Line = Schema.Struct({ component: Schema.String, text: Schema.String, at: Instant })

const Counters = Schema.Struct({
  component: Schema.String,
  recordsIn: Schema.Finite,
  recordsOut: Schema.Finite,
  total: Schema.optionalKey(Schema.Finite),
  lag: Schema.optionalKey(Schema.Finite),
  waiting: Schema.optionalKey(Schema.Finite),
  streams: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
  errors: Schema.Finite,
  files: Schema.optionalKey(Schema.Finite),
  matched: Schema.optionalKey(Schema.Finite),
  unmatched: Schema.optionalKey(Schema.Finite),
  dropped: Schema.optionalKey(Schema.Finite),
  reloads: Schema.optionalKey(Schema.Finite),
  failedReloads: Schema.optionalKey(Schema.Finite),
  lastError: Schema.optionalKey(Schema.String),
  replacedBytes: Schema.optionalKey(Schema.Finite),
  warning: Schema.optionalKey(Schema.String)
})

/** The schema of messages. A child runs users' programs, so its messages are validated like any other input. */
const Message = Schema.Union([
  Schema.TaggedStruct("Started", { jobId: Schema.String, pid: Schema.Int, at: Instant }),
  Schema.TaggedStruct("Output", { lines: Schema.Array(Line) }),
  Schema.TaggedStruct("Truncated", {}),
  Schema.TaggedStruct("Counters", { nodes: Schema.Array(Counters) }),
  Schema.TaggedStruct("Positions", {
    positions: Schema.Record(Schema.String, Schema.Unknown),
    files: Schema.Record(Schema.String, Schema.Unknown)
  }),
  Schema.TaggedStruct("Publishing", {}),
  Schema.TaggedStruct("Archived", { sha256: Schema.String, size: Schema.Finite, entries: Schema.Finite }),
  Schema.TaggedStruct("Tried", { report: TrialReport }),
  Schema.TaggedStruct("Ended", {
    outcome: Schema.Literals(["succeeded", "failed"]),
    error: Schema.optionalKey(Schema.String),
    component: Schema.optionalKey(Schema.String),
    carried: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    at: Instant
  })
])

/** Decodes a line of the channel; throws if it is not a message. */
export const decodeMessage: (line: string) => RunMessage = Schema.decodeUnknownSync(Schema.fromJsonString(Message))
