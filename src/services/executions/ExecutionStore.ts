import { Context, Data, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Outcome } from "../../nodes/flowline/Outcome.ts"
import type { KeptValues } from "../../protocol/Parameters.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import type { ArchiveQuota, NewArchive, TooManyArchives } from "../archives/ArchiveStore.ts"
import type { PrintedLine } from "../runs/Attempt.ts"
import type { AttemptKey } from "../runs/PositionStore.ts"
import type { OutcomeWord } from "../runs/RunOutcome.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { LinePage, StoredLine } from "../shared/reads/OutputLines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { EndState, ExecutionId, ExecutionState, ExecutionStatus } from "./Execution.ts"

/** As many executions of the tenant wait as may. */
export class NoRoom extends Data.TaggedError("NoRoom") {}

/** The key of an execution. */
export interface ExecutionKey {
  readonly tenant: TenantId
  readonly id: ExecutionId
}

/** What started an execution besides a request: JSON of `RunTrigger` and of `TriggerBody`. */
export interface Origin {
  readonly trigger?: string
  readonly body?: string
}

/** A version of a flowline that is stored, and its text. */
export interface NewExecution extends Origin {
  readonly tenant: TenantId
  readonly flowlineId: FlowlineId
  readonly version: number
  readonly runtime: string
  readonly dag: string
  /** The values of its parameters and variables, if it has any. */
  readonly kept?: KeptValues | undefined
}

/**
 * Which executions a list has, and in which order: the oldest first by default. Times are epoch milliseconds of the
 * request: from `from` on, before `to`.
 */
export interface ExecutionFilter {
  readonly flowlineId?: FlowlineId
  readonly state?: ExecutionState
  readonly outcome?: OutcomeWord
  readonly from?: number
  readonly to?: number
  readonly order?: "oldest" | "newest"
}

/** Whether a list has its own order: see {@link ExecutionStore}. */
export const isByTime = ({ state, outcome, from, to }: ExecutionFilter): boolean =>
  state !== undefined || outcome !== undefined || from !== undefined || to !== undefined

export interface ExecutionAttempt extends AttemptKey {
  readonly id: ExecutionId
}

/** A claimed attempt. `lines` is the number of output lines of earlier attempts. */
export interface Claim extends ExecutionAttempt {
  readonly flowlineId: FlowlineId
  readonly runtime: string
  readonly dag: string
  readonly kept: KeptValues | undefined
  readonly lines: number
  readonly trigger: string | null
  readonly body: string | null
  /** Number of earlier attempts that have started. */
  readonly attempts: number
}

export interface Ending {
  readonly state: EndState
  readonly event: string
  readonly error: string | undefined
  readonly nodes: ReadonlyArray<NodeCounters> | undefined
  /** What the run has done; its word and reasons count only for one that has succeeded. */
  readonly outcome?: Outcome | undefined
  readonly archive?: NewArchive | undefined
  /** What its nodes leave to the next execution of the flowline, by component; kept while that is saved. */
  readonly carried?: Readonly<Record<string, unknown>> | undefined
  /** What archives of the tenant may take with this one. */
  readonly archives?: ArchiveQuota
}

/**
 * The stored executions. A write of an attempt returns false and changes nothing if a newer attempt exists or the
 * execution has ended.
 */
export class ExecutionStore extends Context.Service<
  ExecutionStore,
  {
    /**
     * Adds a `PENDING` execution of `owner`. Its id is `<flowline id>-<epoch ms>`, the first free one from `now` on. With
     * `most` it adds none, and fails, when as many of the tenant are `PENDING` already.
     */
    readonly create: (
      execution: NewExecution,
      owner: string,
      now: number,
      most?: number
    ) => Effect.Effect<ExecutionKey, NoRoom | StorageUnreachable>
    /** How many executions of the tenant are `PENDING`, counted up to `most`. */
    readonly pending: (tenant: TenantId, most: number) => Effect.Effect<number, StorageUnreachable>
    /** How many executions of each tenant are `PENDING`; tenants without one are left out. */
    readonly pendingOfAll: Effect.Effect<ReadonlyMap<TenantId, number>, StorageUnreachable>
    /** Begins the next attempt for `owner`, unless the execution has ended. An attempt of another owner is over then. */
    readonly claim: (key: ExecutionKey, owner: string) => Effect.Effect<Claim | undefined, StorageUnreachable>
    /** Stores the process of the run and the state `RUNNING`. The first attempt adds the start event. */
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
    /**
     * Ends the execution with its only end event, and in the same transaction adds its archive and keeps what is
     * `carried`. Fails, and changes nothing, when the archive is too much.
     */
    readonly ended: (
      attempt: ExecutionAttempt,
      ending: Ending
    ) => Effect.Effect<boolean, StorageUnreachable | TooManyArchives>
    /** Ends the attempt and makes the execution `PENDING` without an owner, so that any gateway can claim it. */
    readonly release: (attempt: ExecutionAttempt) => Effect.Effect<boolean, StorageUnreachable>
    /** Marks an execution for cancelling and returns its state. */
    readonly cancel: (key: ExecutionKey) => Effect.Effect<ExecutionState | undefined, StorageUnreachable>
    /**
     * Ends an execution that is marked for cancelling and has no run; with `onlyPending` only while it is `PENDING`.
     * Returns its runtime if it has ended it.
     */
    readonly endCancelled: (
      key: ExecutionKey,
      onlyPending: boolean
    ) => Effect.Effect<string | undefined, StorageUnreachable>
    /** Deletes an execution with its events and output if it has ended; returns the state that it had. */
    readonly remove: (key: ExecutionKey) => Effect.Effect<ExecutionState | undefined, StorageUnreachable>
    /** The open executions of `owner` that are marked for cancelling. */
    readonly toCancel: (owner: string) => Effect.Effect<ReadonlyArray<ExecutionKey>, StorageUnreachable>
    /** The oldest executions of `owner` that are unclaimed after some seconds: they wait, or were never announced. */
    readonly unclaimed: (owner: string) => Effect.Effect<ReadonlyArray<ExecutionKey>, StorageUnreachable>
    /** Makes the open executions of gateways that are gone `PENDING` again and returns them. */
    readonly orphans: Effect.Effect<ReadonlyArray<ExecutionKey>, StorageUnreachable>
    readonly detail: (key: ExecutionKey) => Effect.Effect<ExecutionStatus | undefined, StorageUnreachable>
    readonly state: (key: ExecutionKey) => Effect.Effect<OutputState | undefined, StorageUnreachable>
    /** What an execution ran, to run it again. */
    readonly given: (key: ExecutionKey) => Effect.Effect<NewExecution | undefined, StorageUnreachable>
    /**
     * The executions of a tenant as JSON of `Execution`, oldest first. Keys are ordinals; in a list by state, outcome or
     * time they are `<epoch milliseconds of the request>-<ordinal>`, by which it is ordered.
     */
    readonly list: (
      tenant: TenantId,
      filter: ExecutionFilter,
      span: ListSpan
    ) => Stream.Stream<ListRow, StorageUnreachable>
    /** The events as JSON of `ExecutionEvent`, newest first. */
    readonly events: (key: ExecutionKey, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** The output lines after a sequence number, in order. */
    readonly lines: (key: ExecutionKey, after: number) => Stream.Stream<StoredLine, StorageUnreachable>
    /** The first of these lines. */
    readonly linesAfter: (
      key: ExecutionKey,
      after: number,
      page: LinePage
    ) => Effect.Effect<ReadonlyArray<StoredLine>, StorageUnreachable>
  }
>()("flow/executions/ExecutionStore") {}

export interface OutputState {
  readonly state: ExecutionState
  readonly truncated: boolean
}
