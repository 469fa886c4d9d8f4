import { Brand, Schema } from "effect"
import { PositionScope } from "../runs/PositionStore.ts"
import { TenantId } from "../shared/Tenant.ts"

export const JobStatus = Schema.Literals(["STOPPED", "STARTING", "ACTIVE", "RESTARTING", "FAILED", "FINISHED"])
export type JobStatus = typeof JobStatus.Type

export const ChannelStatus = Schema.Literals([
  "STOPPED",
  "STARTING",
  "ACTIVE",
  "DEGRADED",
  "FAILED",
  "FINISHED",
  "INVALID"
])
export type ChannelStatus = typeof ChannelStatus.Type

/** Whether a job with this status has a run, or will get one without a further request. */
export const isUnderWay = (status: JobStatus): boolean =>
  status === "STARTING" || status === "ACTIVE" || status === "RESTARTING"

/** A channel of a tenant. */
export type ChannelName = Brand.Branded<string, "ChannelName">
export const ChannelName = Brand.nominal<ChannelName>()

/** The cluster that a job of a channel runs on. */
export type ClusterName = Brand.Branded<string, "ClusterName">
export const ClusterName = Brand.nominal<ClusterName>()

/** A job of a channel and a cluster. */
export type JobName = Brand.Branded<string, "JobName">
export const JobName = Brand.nominal<JobName>()

/** What names a job in all tenants. */
export interface JobKey {
  readonly tenant: TenantId
  readonly channel: ChannelName
  readonly cluster: ClusterName
  readonly job: JobName
}

/** The job as a text; its names contain no slash. */
export const jobId = ({ tenant, channel, cluster, job }: JobKey): string => `${tenant}/${channel}/${cluster}/${job}`

/** The key of a {@link jobId}. */
export const jobKey = (id: string): JobKey => {
  const [tenant = "", channel = "", cluster = "", job = ""] = id.split("/")
  return { tenant: TenantId(tenant), channel: ChannelName(channel), cluster: ClusterName(cluster), job: JobName(job) }
}

/** The scope of a job's input positions, and the producer named in its archives. */
export const jobScope = ({ channel, cluster, job }: JobKey): PositionScope =>
  PositionScope(`channels/${channel}/${cluster}/${job}`)

/** The name of a channel, cluster or job; part of paths and of the job's address. */
export const PathName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
    expected: "a name of letters, digits, `.`, `_` and `-` (63 at most)"
  })
)

/** A run that has failed. */
export interface Failure {
  /** Epoch milliseconds. */
  readonly at: number
  /** Why, shortened; only the last ones keep it. */
  readonly error?: string
}

/** Failures that keep their reason, and characters of one. */
const kept = { reasons: 20, characters: 500 }

/** The failures with one more, at most so many. */
export const withFailure = (
  failures: ReadonlyArray<Failure>,
  { at, error = "" }: Failure,
  most: number
): ReadonlyArray<Failure> => {
  const all = [...failures, { at, error: error.slice(0, kept.characters) }].slice(-most)
  return all.map((one, place) => (place < all.length - kept.reasons ? { at: one.at } : one))
}

const StoredFailures = Schema.fromJsonString(
  Schema.Array(
    // Earlier versions stored the times alone.
    Schema.Union([Schema.Finite, Schema.Struct({ at: Schema.Finite, error: Schema.optionalKey(Schema.String) })])
  )
)
const decodeFailures = Schema.decodeUnknownSync(StoredFailures)

/** Failures as the database has them. */
export const failuresOf = (stored: string): ReadonlyArray<Failure> =>
  decodeFailures(stored).map((one) => (typeof one === "number" ? { at: one } : one))

/** The last failures, which keep their reasons. */
export const lastFailures = (failures: ReadonlyArray<Failure>): ReadonlyArray<Failure> => failures.slice(-kept.reasons)

/** The state of a job in the database, or of a job that was never started. */
export interface JobState {
  readonly status: JobStatus
  /** Whether the job should run. */
  readonly desired: boolean
  /** When the status began: ISO 8601 UTC with milliseconds. */
  readonly since: string | null
  /** Failed runs that were followed by another one, since the job was started. */
  readonly restarts: number
  readonly lastError: string | null
  /** The gateway that runs the job: `<host>:<pid>`. */
  readonly node: string | null
  /** Process of the run: `<host>:<pid>`. */
  readonly jobId: string | null
  /** The next time at which the schedule starts the job, or a failed job is started again. */
  readonly nextRun: string | null
  /** The failed runs of the last hour, as JSON. */
  readonly failures: string
  /** Counters of the run's nodes, as JSON. */
  readonly nodes: string
  /** What the current or last run has done, as JSON. */
  readonly outcome: string | null
}

export const neverStarted: JobState = {
  status: "STOPPED",
  desired: false,
  since: null,
  restarts: 0,
  lastError: null,
  node: null,
  jobId: null,
  nextRun: null,
  failures: "[]",
  nodes: "[]",
  outcome: null
}

/**
 * The state of a job of a suspended tenant: it counts as stopped as soon as no gateway has it, although it is to run
 * after the suspension.
 */
export const suspendedState = <State extends JobState>(state: State): State =>
  state.node === null && isUnderWay(state.status) ? { ...state, status: "STOPPED" } : state

/** The status of a channel from those of its jobs that should run or still do. */
export const statusOf = (jobs: ReadonlyArray<Pick<JobState, "status" | "desired">>): ChannelStatus => {
  const concerned = jobs.filter(({ status, desired }) => desired || status !== "STOPPED")
  const count = (status: JobStatus) => concerned.filter((job) => job.status === status).length
  if (count("STOPPED") === concerned.length) return "STOPPED"
  const finished = count("FINISHED")
  const active = count("ACTIVE")
  if (finished === concerned.length) return "FINISHED"
  if (active + finished === concerned.length) return "ACTIVE"
  if (active > 0) return count("FAILED") + count("RESTARTING") === 0 ? "STARTING" : "DEGRADED"
  return count("STARTING") > 0 ? "STARTING" : "FAILED"
}
