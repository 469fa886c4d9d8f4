import { Clock, Effect, Hash, Result, Schedule } from "effect"
import { overLimit } from "../../protocol/Allowances.ts"
import { jobHeartbeat } from "../../protocol/Liveness.ts"
import { archiveQuotaOf } from "../archives/ArchiveStore.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { type Attempt, Attempts, failed, fenced, logDefect, type Outcome, type Superseded } from "../runs/Attempt.ts"
import { PositionStore } from "../runs/PositionStore.ts"
import type { Signals } from "../runs/Signals.ts"
import { ChannelFolders, issueText } from "./ChannelFolders.ts"
import { type JobKey, jobId, jobScope } from "./Job.ts"
import { type JobMetrics, jobMetrics } from "./JobMetrics.ts"
import { type JobChange, type JobClaim, JobStore } from "./JobStore.ts"
import type { JobDefinition } from "./Structure.ts"

const unreadable = "the configuration cannot be read"

/**
 * No run was started: the job's definition, or what a run of it needs, cannot be read or is faulty. This does not count
 * as a failed run, so the job starts again when the files are repaired.
 */
interface NotBegun {
  readonly _tag: "NotBegun"
  readonly reason: string
}

/** The id of a run of the job and of its archive. The hash distinguishes jobs whose joined names are equal. */
const runIdOf = (key: JobKey, at: number): string => {
  const name = [key.channel, key.cluster, key.job].join("-").replace(/[^A-Za-z0-9_-]/g, "_")
  return `${name.slice(0, 100)}-${(Hash.string(jobScope(key)) >>> 0).toString(36)}-${at}`
}

/** A job that this gateway has claimed. */
export interface ClaimedJob {
  readonly claim: JobClaim
  readonly metrics: JobMetrics
  /** The job as its channel defines it now, or why that cannot be read. */
  readonly definition: Effect.Effect<JobDefinition | string>
  /** One run, from reading the flowline file to its end. */
  readonly run: (job: JobDefinition, work: number) => Effect.Effect<Outcome | NotBegun, Superseded>
  /** What the run that has ended leaves behind. */
  readonly done: () => Pick<JobChange, "nodes" | "outcome">
  readonly change: (change: JobChange) => Effect.Effect<void, Superseded>
  /** Makes the change; returns why it was not made when its archive exceeds the tenant's limit. */
  readonly changeWithArchive: (change: JobChange) => Effect.Effect<string | undefined, Superseded>
  readonly hold: Attempt["hold"]
}

/** Makes claimed jobs. `signals` are told when a job has new output. */
export const claimedJobs = Effect.fnUntraced(function* (signals: Signals) {
  const store = yield* JobStore
  const folders = yield* ChannelFolders
  const attempts = yield* Attempts
  const positions = yield* PositionStore
  const rules = yield* TenantRules

  const definitionOf = Effect.fnUntraced(function* ({ tenant, channel, cluster, job }: JobKey) {
    const { jobs, issues, file } = yield* folders.structure(tenant, channel)
    if (issues[0] !== undefined) return `${file}: ${issueText(issues[0])}`
    return (
      jobs.find((other) => other.name === job && other.cluster === cluster) ??
      `${file}: the job ${cluster}/${job} no longer exists`
    )
  })

  return (claim: JobClaim): ClaimedJob => {
    const { tenant, epoch, lines } = claim
    const id = jobId(claim)
    const scope = jobScope(claim)
    const name = `job ${id}`
    const metrics = jobMetrics(claim)
    const changed = Effect.sync(() => signals.changed(id))
    const attempt: Attempt = attempts.begin({
      name,
      tenant,
      epoch,
      scope,
      flowlineId: scope,
      lines,
      changed,
      confirmEvery: jobHeartbeat,
      confirm: (nodes) => store.beat(claim, nodes, attempt.outcome()),
      started: (jobId) =>
        Effect.tap(store.change(claim, { status: "ACTIVE", jobId }), (reached) =>
          reached ? metrics.status("ACTIVE") : Effect.void
        ).pipe(Effect.catchTag("TooManyArchives", Effect.die)),
      output: (lines) => store.output(claim, lines),
      truncated: Effect.succeed(true),
      // The counters are stored with the next confirmation.
      counters: (nodes, flowline) => Effect.as(metrics.counters(flowline, nodes, attempt.outcome()), true),
      progress: (given) => store.progress(claim, given),
      claimFiles: (paths) => store.claimFiles(claim, paths)
    })

    const definition = definitionOf(claim).pipe(
      Effect.orElseSucceed(() => unreadable),
      Effect.catchDefect(logDefect(name))
    )

    /** What the run is to do, or why none can begin. */
    const prepared = Effect.fnUntraced(function* (job: JobDefinition, work: number) {
      const found = yield* Effect.retry(folders.flowline(tenant, claim.channel, job), {
        while: (error) => error._tag === "Overloaded",
        schedule: Schedule.spaced("1 second")
      }).pipe(Effect.catchTag("Overloaded", Effect.die))
      if (Result.isFailure(found)) {
        const { file, issues } = found.failure
        return Result.fail(issues.map((issue) => `${file}: ${issueText(issue)}`).join("\n"))
      }
      const order = {
        executionId: runIdOf(claim, yield* Clock.currentTimeMillis),
        lasting: job.schedule === undefined,
        work: `${scope}@${work}`
      }
      return yield* attempt.prepare(found.success.flowline, order, positions.load(tenant, scope))
    })

    const runOnce = Effect.fnUntraced(function* (job: JobDefinition, work: number) {
      const spec = yield* prepared(job, work).pipe(
        Effect.catchTag("StorageUnreachable", () => Effect.succeed(Result.fail(unreadable))),
        Effect.catchDefect((defect) => Effect.map(logDefect(name)(defect), Result.fail))
      )
      if (Result.isFailure(spec)) return { _tag: "NotBegun", reason: spec.failure } as const
      return yield* attempt.run(spec.success)
    })

    const changeWithArchive = Effect.fnUntraced(function* (change: JobChange) {
      const archives = archiveQuotaOf(rules.limitsOf(tenant))
      let refusal: string | undefined
      const write = store.change(claim, { ...change, archives }).pipe(
        Effect.catchTag("TooManyArchives", ({ limit, value, used }) => {
          refusal = overLimit(tenant, limit, value, used)
          return Effect.succeed(true)
        })
      )
      yield* fenced(write)
      if (refusal !== undefined) return refusal
      yield* metrics.status(change.status)
      yield* changed
      return undefined
    })

    return {
      claim,
      metrics,
      definition,
      run: (job, work) =>
        attempt.guarded<Outcome | NotBegun>(runOnce(job, work), (error) => Effect.succeed(failed(error))),
      done: () => {
        const [nodes, outcome] = [attempt.nodes(), attempt.outcome()]
        return nodes === undefined || outcome === undefined ? {} : { nodes, outcome }
      },
      change: (change) => Effect.asVoid(changeWithArchive(change)),
      changeWithArchive,
      hold: attempt.hold
    }
  }
})
