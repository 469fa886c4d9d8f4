import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import type { PrintedLine } from "../runs/Attempt.ts"
import type { StoredLine } from "../shared/OutputLines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ChannelName, JobKey, JobState, JobStatus } from "./Job.ts"

/** A gateway's claim of a job. What it writes counts as long as no later claim has been made. */
export interface JobClaim extends JobKey {
  /** Counts the starts, stops and restarts of the job. */
  readonly generation: number
  /** Counts the claims. */
  readonly epoch: number
  readonly restarts: number
  /** When runs failed in the last hour, epoch milliseconds. */
  readonly failures: ReadonlyArray<number>
  /** When the schedule starts the job next, epoch milliseconds. */
  readonly nextAt: number | undefined
  /** Output lines so far. */
  readonly lines: number
  /** Process of the last run of the claim before. */
  readonly previous: string | null
}

/** A change of a job's state. What is absent stays. */
export interface JobChange {
  readonly status: JobStatus
  readonly jobId?: string
  readonly lastError?: string
  readonly restarts?: number
  readonly failures?: ReadonlyArray<number>
  readonly nextAt?: number
}

export type DesiredChange = "start" | "stop" | "restart"

/** A job and the generation in which something was wished of it. */
export interface DesiredJob extends JobKey {
  readonly generation: number
}

/** What the jobs should do, what they do, and their last lines. Writes of a claim that is over answer false. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /** The jobs of a tenant that were ever started, by channel, cluster and name. */
    readonly list: (
      tenant: TenantId,
      channel?: ChannelName
    ) => Effect.Effect<ReadonlyArray<JobKey & JobState>, StorageUnreachable>
    /**
     * Writes down what the jobs should do, all at once. A start of what runs and a stop of what does not change nothing.
     * Gives every job that is to be looked after, with its generation.
     */
    readonly wish: (
      wish: DesiredChange,
      jobs: ReadonlyArray<JobKey>
    ) => Effect.Effect<ReadonlyArray<DesiredJob>, StorageUnreachable>
    /** Claims a job, unless the generation is over or the job has come to its end. */
    readonly claim: (job: DesiredJob, node: string) => Effect.Effect<JobClaim | undefined, StorageUnreachable>
    /** Says that the claim goes on; `nodes` are the counters of the run. */
    readonly beat: (
      claim: JobClaim,
      nodes: ReadonlyArray<NodeCounters> | undefined
    ) => Effect.Effect<boolean, StorageUnreachable>
    readonly change: (claim: JobClaim, change: JobChange) => Effect.Effect<boolean, StorageUnreachable>
    /** Ends a claim whose job is to go on elsewhere. */
    readonly release: (claim: JobClaim) => Effect.Effect<void, StorageUnreachable>
    /** The job was told to stop in this generation, and no run of it is left. */
    readonly stopped: (job: DesiredJob) => Effect.Effect<void, StorageUnreachable>
    readonly output: (claim: JobClaim, lines: ReadonlyArray<PrintedLine>) => Effect.Effect<boolean, StorageUnreachable>
    /** Keeps where an input stands, under the job's scope. */
    readonly position: (
      claim: JobClaim,
      component: string,
      value: unknown
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** Lines after a sequence number, or the last `limit` of them when it is absent. */
    readonly lines: (
      job: JobKey,
      after: number | undefined,
      limit: number
    ) => Stream.Stream<StoredLine, StorageUnreachable>
    /**
     * Begins a new generation of jobs that should run, or should have stopped, and that nobody has said anything about
     * for a while.
     */
    readonly unattended: Effect.Effect<ReadonlyArray<DesiredJob>, StorageUnreachable>
  }
>()("flow/channels/JobStore") {}
