import { Schema } from "effect"

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

const Line = Schema.Struct({ component: Schema.String, text: Schema.String, at: Schema.Finite })

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
  Schema.TaggedStruct("Started", { jobId: Schema.String, pid: Schema.Int, at: Schema.Finite }),
  Schema.TaggedStruct("Output", { lines: Schema.Array(Line) }),
  Schema.TaggedStruct("Truncated", {}),
  Schema.TaggedStruct("Counters", { nodes: Schema.Array(Counters) }),
  Schema.TaggedStruct("Positions", { component: Schema.String, value: Schema.Unknown }),
  Schema.TaggedStruct("Archived", { sha256: Schema.String, size: Schema.Finite, entries: Schema.Finite }),
  Schema.TaggedStruct("Ended", {
    outcome: Schema.Literals(["succeeded", "failed"]),
    error: Schema.optionalKey(Schema.String),
    component: Schema.optionalKey(Schema.String),
    at: Schema.Finite
  })
])

/** Throws when the line is not a message. */
export const decodeMessage: (line: string) => RunMessage = Schema.decodeUnknownSync(Schema.fromJsonString(Message))
