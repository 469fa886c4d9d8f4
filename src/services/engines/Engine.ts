import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { Flowline } from "../flowlines/Flowline.ts"
import type { ResolvedReferences } from "./References.ts"

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

/** Runs flowlines, each in a process of its own. */
export class Engine extends Context.Service<
  Engine,
  {
    /**
     * Starts the run and follows it. Ending or interrupting the stream kills the whole process group: TERM, then KILL,
     * and completes only when no process of the group is left. `at` values are epoch milliseconds.
     */
    readonly run: (spec: RunSpec) => Stream.Stream<RunMessage, StorageUnreachable>
    /**
     * Waits until a run that a gateway left behind when it was killed is gone: at most as long as it can outlive that
     * gateway, and not at all when it ran on another host. `jobId` is what it said when it started.
     */
    readonly gone: (jobId: string) => Effect.Effect<void>
  }
>()("flow/engines/Engine") {}
