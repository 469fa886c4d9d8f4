import { Context, Data, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Outcome } from "../../nodes/flowline/Outcome.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import type { ArchiveQuota, NewArchive, TooManyArchives } from "../archives/ArchiveStore.ts"
import type { PrintedLine } from "../runs/Attempt.ts"
import type { FileClaim, Progress } from "../runs/PositionStore.ts"
import type { LinePage, StoredLine } from "../shared/reads/OutputLines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ChannelName, Failure, JobKey, JobState, JobStatus } from "./Job.ts"

/** A gateway's claim of a job. Its writes are accepted until a later claim is made. */
export interface JobClaim extends JobKey {
  /** Number of starts, stops and restarts of the job. */
  readonly generation: number
  /** Number of claims. */
  readonly epoch: number
  readonly restarts: number
  /** Failed runs of the last hour, the oldest first. */
  readonly failures: ReadonlyArray<Failure>
  /** Number of pieces of work that were begun: by a start, and by each success of a schedule. Attempts repeat the last. */
  readonly work: number
  /** The next scheduled start, in epoch milliseconds. */
  readonly nextAt: number | undefined
  /** Number of output lines so far. */
  readonly lines: number
  /** Process of the last run under the previous claim. */
  readonly previous: string | null
}

/** A change of a job's state. Absent members stay unchanged. */
export interface JobChange {
  readonly status: JobStatus
  readonly jobId?: string
  readonly lastError?: string
  readonly restarts?: number
  readonly failures?: ReadonlyArray<Failure>
  /** When the job runs next; null when that is not known. */
  readonly nextAt?: number | null
  /** The archive of the run that has ended; it is added in the same transaction. */
  readonly archive?: NewArchive | undefined
  /** What archives of the tenant may take with this one; more fails and changes nothing. */
  readonly archives?: ArchiveQuota
  readonly work?: number
  /** The counters of the run that has ended, and what it has done. */
  readonly nodes?: ReadonlyArray<NodeCounters>
  readonly outcome?: Outcome
  /** A run has succeeded: what it has appended to files stays, whatever comes later. */
  readonly succeeded?: true
}

export type DesiredChange = "start" | "stop" | "restart"

/** So many jobs of the tenant would be started, which are too many. */
export class TooManyJobs extends Data.TaggedError("TooManyJobs")<{ readonly used: number }> {}

/** A job and the generation of its desired state. */
export interface DesiredJob extends JobKey {
  readonly generation: number
}

/** The desired and actual states of jobs, and their last output lines. Writes under an outdated claim return false. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /** The jobs of a tenant that were ever started, ordered by channel, cluster and name. */
    readonly list: (
      tenant: TenantId,
      channel?: ChannelName
    ) => Effect.Effect<ReadonlyArray<JobKey & JobState>, StorageUnreachable>
    /**
     * Stores the desired state of the jobs in one transaction. Starting a running job and stopping a stopped one
     * changes nothing. Returns the jobs that have to be announced, with their generations. With `most` it changes nothing,
     * and fails, when more jobs of a tenant would be started then.
     */
    readonly requestChange: (
      change: DesiredChange,
      jobs: ReadonlyArray<JobKey>,
      most?: number
    ) => Effect.Effect<ReadonlyArray<DesiredJob>, StorageUnreachable | TooManyJobs>
    /** Claims a job, unless the generation is outdated or the job has ended. */
    readonly claim: (job: DesiredJob, node: string) => Effect.Effect<JobClaim | undefined, StorageUnreachable>
    /** Confirms the claim; `nodes` are the counters of the run, `outcome` is what it has done so far. */
    readonly beat: (
      claim: JobClaim,
      nodes: ReadonlyArray<NodeCounters> | undefined,
      outcome?: Outcome
    ) => Effect.Effect<boolean, StorageUnreachable>
    readonly change: (
      claim: JobClaim,
      change: JobChange
    ) => Effect.Effect<boolean, StorageUnreachable | TooManyArchives>
    /** Ends a claim so that another gateway can continue the job. */
    readonly release: (claim: JobClaim) => Effect.Effect<void, StorageUnreachable>
    /** Confirms that the job has stopped in this generation: no run of it is left. */
    readonly stopped: (job: DesiredJob) => Effect.Effect<void, StorageUnreachable>
    readonly output: (claim: JobClaim, lines: ReadonlyArray<PrintedLine>) => Effect.Effect<boolean, StorageUnreachable>
    /** Stores the progress of a run under the job's scope. */
    readonly progress: (claim: JobClaim, progress: Progress) => Effect.Effect<boolean, StorageUnreachable>
    /** Makes the files the scope's own, as `PositionStore.claimFiles` does for executions. */
    readonly claimFiles: (
      claim: JobClaim,
      paths: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<FileClaim> | undefined, StorageUnreachable>
    /** The lines after a sequence number, at most as many as are kept. */
    readonly lines: (job: JobKey, after: number) => Stream.Stream<StoredLine, StorageUnreachable>
    /** The first of these lines. */
    readonly linesAfter: (
      job: JobKey,
      after: number,
      page: LinePage
    ) => Effect.Effect<ReadonlyArray<StoredLine>, StorageUnreachable>
    /** The sequence number of the line before the last so many; 0 when there is none. */
    readonly beforeLast: (job: JobKey, lines: number) => Effect.Effect<number, StorageUnreachable>
    /**
     * Begins a new generation of jobs that are to run or to stop, and whose gateway has sent no heartbeat for a while.
     * Those of suspended tenants are not to run.
     */
    readonly unattended: (
      suspended: ReadonlyArray<TenantId>
    ) => Effect.Effect<ReadonlyArray<DesiredJob>, StorageUnreachable>
  }
>()("flow/channels/JobStore") {}
