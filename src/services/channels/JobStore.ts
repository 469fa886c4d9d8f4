import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { StoredLine } from "../shared/OutputLines.ts"
import type { JobKey, JobState, JobStatus } from "./Job.ts"

/** One tenure of a job: a gateway that keeps it. What it writes counts as long as no later one has begun. */
export interface Tenure extends JobKey {
  /** Counts the starts, stops and restarts of the job. */
  readonly generation: number
  /** Counts the tenures. */
  readonly epoch: number
  readonly restarts: number
  /** When runs failed in the last hour, epoch milliseconds. */
  readonly failures: ReadonlyArray<number>
  /** When the schedule starts the job next, epoch milliseconds. */
  readonly nextAt: number | undefined
  /** Output lines so far. */
  readonly lines: number
  /** Process of the last run of the tenure before. */
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

export interface JobLine {
  readonly seq: number
  readonly component: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
}

export type Wish = "start" | "stop" | "restart"

/** A job and the generation in which something was wished of it. */
export interface Wished extends JobKey {
  readonly generation: number
}

/** What the jobs should do, what they do, and their last lines. Writes of a tenure that is over answer false. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /** The jobs of a tenant that were ever started, by channel, cluster and name. */
    readonly list: (
      tenant: string,
      channel?: string
    ) => Effect.Effect<ReadonlyArray<JobKey & JobState>, StorageUnreachable>
    /**
     * Writes down what the jobs should do, all at once. A start of what runs and a stop of what does not change nothing.
     * Gives every job that is to be looked after, with its generation.
     */
    readonly wish: (wish: Wish, jobs: ReadonlyArray<JobKey>) => Effect.Effect<ReadonlyArray<Wished>, StorageUnreachable>
    /** Begins a tenure, unless the generation is over or the job has come to its end. */
    readonly claim: (job: Wished, node: string) => Effect.Effect<Tenure | undefined, StorageUnreachable>
    /** Says that the tenure goes on; `nodes` are the counters of the run as JSON. */
    readonly beat: (tenure: Tenure, nodes: string | undefined) => Effect.Effect<boolean, StorageUnreachable>
    readonly change: (tenure: Tenure, change: JobChange) => Effect.Effect<boolean, StorageUnreachable>
    /** Ends a tenure whose job is to go on elsewhere. */
    readonly release: (tenure: Tenure) => Effect.Effect<void, StorageUnreachable>
    /** The job was told to stop in this generation, and no run of it is left. */
    readonly stopped: (job: Wished) => Effect.Effect<void, StorageUnreachable>
    readonly output: (tenure: Tenure, lines: ReadonlyArray<JobLine>) => Effect.Effect<boolean, StorageUnreachable>
    /** Keeps where an input stands, under the job's scope. */
    readonly position: (tenure: Tenure, component: string, value: unknown) => Effect.Effect<boolean, StorageUnreachable>
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
    readonly unattended: Effect.Effect<ReadonlyArray<Wished>, StorageUnreachable>
  }
>()("flow/channels/JobStore") {}
