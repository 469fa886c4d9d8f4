import { Redacted, Schema } from "effect"
import type { RunMessage, RunSpec } from "../../services/engines/Engine.ts"
import type { EngineSettings } from "./EngineConfig.ts"

/**
 * What the parent writes, as one line of JSON, to a child's standard input. The pipe then stays open: its end tells the
 * child that the gateway is gone.
 */
export interface Order extends Pick<EngineSettings, "blobs" | "search" | "outputLines" | "outputBytes" | "fileBytes"> {
  /** What the run may use of memory, MiB. */
  readonly memoryMib: number
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
