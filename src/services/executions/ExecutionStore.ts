import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import type { PrintedLine } from "../runs/Attempt.ts"
import type { AttemptKey } from "../runs/PositionStore.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"
import type { StoredLine } from "../shared/OutputLines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ExecutionId, ExecutionState, ExecutionStatus } from "./Execution.ts"

/** What names an execution. */
export interface ExecutionKey {
  readonly tenant: TenantId
  readonly id: ExecutionId
}

export interface NewExecution {
  readonly tenant: TenantId
  readonly flowlineId: FlowlineId
  readonly version: number
  readonly runtime: string
  readonly dag: string
}

export interface ExecutionAttempt extends AttemptKey {
  readonly id: ExecutionId
}

/** What a claimed attempt runs. `lines` counts the output lines of earlier attempts. */
export interface Claim extends ExecutionAttempt {
  readonly flowlineId: FlowlineId
  readonly runtime: string
  readonly dag: string
  readonly lines: number
  /** How many attempts have been started before. */
  readonly attempts: number
}

export interface Ending {
  readonly state: Extract<ExecutionState, "SUCCEEDED" | "FAILED" | "CANCELLED" | "LOST">
  readonly event: string
  readonly error: string | undefined
  readonly nodes: ReadonlyArray<NodeCounters> | undefined
}

/** Where executions are kept. A write of an attempt answers false when a newer attempt exists or it has ended. */
export class ExecutionStore extends Context.Service<
  ExecutionStore,
  {
    /** Adds a `PENDING` execution of `owner`; its id is `<flowline id>-<epoch ms>`, the next free one from `now` on. */
    readonly create: (
      execution: NewExecution,
      owner: string,
      now: number
    ) => Effect.Effect<ExecutionKey, StorageUnreachable>
    /** How many executions of the tenant are `PENDING`, counted up to `most`. */
    readonly pending: (tenant: TenantId, most: number) => Effect.Effect<number, StorageUnreachable>
    /** Starts the next attempt of an execution that has not ended, whoever had it before, for `owner`. */
    readonly claim: (key: ExecutionKey, owner: string) => Effect.Effect<Claim | undefined, StorageUnreachable>
    /** The run's process is there: `RUNNING`, with the start event of the first attempt. */
    readonly started: (
      attempt: ExecutionAttempt,
      jobId: string,
      event: string
    ) => Effect.Effect<boolean, StorageUnreachable>
    readonly output: (
      attempt: ExecutionAttempt,
      lines: ReadonlyArray<PrintedLine>
    ) => Effect.Effect<boolean, StorageUnreachable>
    readonly truncated: (attempt: ExecutionAttempt) => Effect.Effect<boolean, StorageUnreachable>
    readonly counters: (
      attempt: ExecutionAttempt,
      nodes: ReadonlyArray<NodeCounters>
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** Ends the attempt's execution with its one end event. */
    readonly ended: (attempt: ExecutionAttempt, ending: Ending) => Effect.Effect<boolean, StorageUnreachable>
    /** Gives an attempt back, to be started again by whoever comes. */
    readonly release: (attempt: ExecutionAttempt) => Effect.Effect<boolean, StorageUnreachable>
    /** Marks an execution for cancelling and tells its state, before the mark. */
    readonly cancel: (key: ExecutionKey) => Effect.Effect<ExecutionState | undefined, StorageUnreachable>
    /** Ends an execution that is marked for cancelling, when no run of it is under way; or only while it is pending. */
    readonly endCancelled: (key: ExecutionKey, onlyPending: boolean) => Effect.Effect<void, StorageUnreachable>
    /** Executions of `owner` that are marked for cancelling and have not ended. */
    readonly toCancel: (owner: string) => Effect.Effect<ReadonlyArray<ExecutionKey>, StorageUnreachable>
    /** The oldest executions of `owner` that nobody has claimed for some seconds: they wait, or nobody was told. */
    readonly unclaimed: (owner: string) => Effect.Effect<ReadonlyArray<ExecutionKey>, StorageUnreachable>
    /** Makes the unfinished executions of gateways that are gone pending again. */
    readonly orphans: Effect.Effect<ReadonlyArray<ExecutionKey>, StorageUnreachable>
    readonly detail: (key: ExecutionKey) => Effect.Effect<ExecutionStatus | undefined, StorageUnreachable>
    readonly state: (key: ExecutionKey) => Effect.Effect<OutputState | undefined, StorageUnreachable>
    /** Entries of endpoints 16 and 17, oldest first. */
    readonly list: (
      tenant: TenantId,
      flowlineId: FlowlineId | undefined,
      span: ListSpan
    ) => Stream.Stream<ListRow, StorageUnreachable>
    /** Entries of endpoint 18, newest first. */
    readonly events: (key: ExecutionKey, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Output lines after `seq`, as JSON text, in order. */
    readonly lines: (key: ExecutionKey, after: number, limit?: number) => Stream.Stream<StoredLine, StorageUnreachable>
  }
>()("flow/executions/ExecutionStore") {}

export interface OutputState {
  readonly state: ExecutionState
  readonly truncated: boolean
}
