import { Redacted, Schema } from "effect"
import type { TenantDefinitions } from "../languages/grok/TenantDefinitions.ts"
import type { Flowline } from "./Flowline.ts"
import type { BlobPlace, SearchAddress } from "./Places.ts"
import type { ResolvedReferences } from "./References.ts"

/** Argument of a child that makes room for another one when it had to compile its modules itself. */
export const leaveWhenCold = "--leave-when-cold"

/** One run of a flowline. `epoch` counts the attempts of the execution from 1. */
export interface RunSpec {
  readonly tenant: string
  readonly executionId: string
  readonly epoch: number
  readonly flowline: Flowline
  /** What the flowline refers to. */
  readonly references?: ResolvedReferences
  /** The grok patterns that the tenant brings along, when a node may use them. */
  readonly patterns?: TenantDefinitions
  /** Python files among the tenant's artifacts, name and text, when the flowline may use them. */
  readonly modules?: ReadonlyArray<readonly [name: string, text: string]>
  /** What the positions of the inputs are kept under; the execution's id unless something outlives it. */
  readonly scope?: string
  /**
   * Whether it is kept running: without a time limit of its own it has none, and its output is limited by the second.
   */
  readonly lasting?: boolean
  /** Where the inputs stood when the last attempt with this scope saved them, by component. */
  readonly positions?: Readonly<Record<string, unknown>>
}

/** What one run may write. */
export interface RunLimits {
  /** Lines and bytes that one run may print. */
  readonly outputLines: number
  readonly outputBytes: number
  /** Bytes that one run may write to data files, and the same for its archive before compression. */
  readonly fileBytes: number
}

/**
 * What the parent writes, as one line of JSON, to a child's standard input. The pipe then stays open: its end tells the
 * child that the gateway is gone.
 */
export interface Order extends RunLimits {
  readonly blobs: BlobPlace
  /** Where the run finds the tenant's indices; absent when there are none, or nothing searches. */
  readonly search?: SearchAddress | undefined
  /** What the run may use of memory, MiB. */
  readonly memoryMib: number
  /** Addresses that nodes may connect to besides public ones: the operator's list, which no flowline can change. */
  readonly outbound: ReadonlyArray<string>
  readonly spec: RunSpec
  /** The tenant's configuration folder. */
  readonly conf: string
  /** The tenant's data folder: finished files. */
  readonly data: string
  /** Unfinished data files of this run, on the volume of `data`; the parent removes it when the child is gone. */
  readonly unfinished: string
  /** Scratch space of this run; the parent removes it too. */
  readonly scratch: string
  readonly archiveLevel: number
}

/** The order as one line. It is the only place where credentials are written out. */
export const encodeOrder = (order: Order): string =>
  JSON.stringify({
    ...order,
    blobs:
      order.blobs.kind === "disk"
        ? order.blobs
        : { ...order.blobs, credentials: Redacted.value(order.blobs.credentials) },
    ...(order.search === undefined ? {} : { search: { ...order.search, url: Redacted.value(order.search.url) } })
  })

/** Reads what {@link encodeOrder} wrote. */
export const decodeOrder = (line: string): Order => {
  const { blobs, search, ...order } = JSON.parse(line)
  return {
    ...order,
    blobs: blobs.kind === "disk" ? blobs : { ...blobs, credentials: Redacted.make(blobs.credentials) },
    ...(search === undefined ? {} : { search: { ...search, url: Redacted.make(search.url) } })
  }
}

/** Counters of one node, since the start of the run. */
export interface NodeCounters {
  readonly component: string
  readonly recordsIn: number
  readonly recordsOut: number
  /** How many records it will have given in the end, when it knows. */
  readonly total?: number
  /** Bytes that a followed input has not read yet. */
  readonly lag?: number
  readonly errors: number
  /** One reason of a rejected record. */
  readonly lastError?: string
}

/** What a run says, in order. `Started` comes first; exactly one `Ended` comes last. */
export type RunMessage =
  /** `jobId` names the process: `<host>:<pid>`. */
  | { readonly _tag: "Started"; readonly jobId: string; readonly pid: number; readonly at: number }
  | {
      readonly _tag: "Output"
      readonly lines: ReadonlyArray<{ readonly component: string; readonly text: string; readonly at: number }>
    }
  /** Lines that were dropped because the output of the run is over its limit. */
  | { readonly _tag: "Truncated" }
  | { readonly _tag: "Counters"; readonly nodes: ReadonlyArray<NodeCounters> }
  /** Where an input stands: everything before it is durable, or was said before this. */
  | { readonly _tag: "Positions"; readonly component: string; readonly value: unknown }
  /** The sealed archive, already stored as a blob. */
  | { readonly _tag: "Archived"; readonly sha256: string; readonly size: number; readonly entries: number }
  | {
      readonly _tag: "Ended"
      readonly outcome: "succeeded" | "failed"
      /** Why it failed, for the user: no stack, no absolute path. */
      readonly error?: string
      readonly component?: string
      /** The run ended itself as its gateway had been silent for long: it may be run again, here or elsewhere. */
      readonly abandoned?: boolean
      readonly at: number
    }

/** The child's end of the message channel: one JSON message per line. */
export const channelFd = 3

/** A line on the channel longer than this is not one of ours. */
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
  errors: Schema.Finite,
  lastError: Schema.optionalKey(Schema.String)
})

/** What the child writes. It runs programs of users, so what it says is checked like any other input. */
const Message = Schema.Union([
  Schema.TaggedStruct("Started", { jobId: Schema.String, pid: Schema.Int, at: Instant }),
  Schema.TaggedStruct("Output", { lines: Schema.Array(Line) }),
  Schema.TaggedStruct("Truncated", {}),
  Schema.TaggedStruct("Counters", { nodes: Schema.Array(Counters) }),
  Schema.TaggedStruct("Positions", { component: Schema.String, value: Schema.Unknown }),
  Schema.TaggedStruct("Archived", { sha256: Schema.String, size: Schema.Finite, entries: Schema.Finite }),
  Schema.TaggedStruct("Ended", {
    outcome: Schema.Literals(["succeeded", "failed"]),
    error: Schema.optionalKey(Schema.String),
    component: Schema.optionalKey(Schema.String),
    at: Instant
  })
])

/** Throws when the line is not a message. */
export const decodeMessage: (line: string) => RunMessage = Schema.decodeUnknownSync(Schema.fromJsonString(Message))
