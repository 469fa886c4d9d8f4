import { Clock, Context, type Cron, Effect, Hash, Layer, Result, Schedule } from "effect"
import { overLimit } from "../../protocol/Allowances.ts"
import { clockLook, jobHeartbeat } from "../../protocol/Liveness.ts"
import { archiveQuotaOf } from "../archives/ArchiveStore.ts"
import { InUse } from "../limits/InUse.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { Attempts, failed, fenced, logDefect } from "../runs/Attempt.ts"
import { Engine } from "../runs/Engine.ts"
import { Gateway } from "../runs/Gateway.ts"
import { retryWhileUnreachable } from "../runs/Outage.ts"
import { PositionStore } from "../runs/PositionStore.ts"
import { carried, following, resumed, ScheduleClock, type ScheduleTime } from "../runs/ScheduleClock.ts"
import { Signals } from "../runs/Signals.ts"
import { observeQueue } from "../shared/Observed.ts"
import { Settings } from "../shared/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { lastingPlaces, Turns } from "../shared/Turns.ts"
import { ChannelFolders, issueText } from "./ChannelFolders.ts"
import { type JobKey, jobId, jobScope, withFailure } from "./Job.ts"
import { jobMetrics } from "./JobMetrics.ts"
import { type DesiredJob, type JobChange, type JobClaim, JobStore } from "./JobStore.ts"
import type { JobDefinition } from "./Structure.ts"

const hour = 3_600_000

const unreadable = "the configuration cannot be read"

/**
 * No run was started: the job's definition, or what a run of it needs, cannot be read or is faulty. This does not count
 * as a failed run, so the job starts again when the files are repaired.
 */
const notBegun = (reason: string) => ({ _tag: "NotBegun", reason }) as const

/** The id of a run of the job and of its archive. The hash distinguishes jobs whose joined names are equal. */
const runIdOf = (key: JobKey, at: number): string => {
  const name = [key.channel, key.cluster, key.job].join("-").replace(/[^A-Za-z0-9_-]/g, "_")
  return `${name.slice(0, 100)}-${(Hash.string(jobScope(key)) >>> 0).toString(36)}-${at}`
}

/** Milliseconds before the next attempt. */
const pauseOf = (initial: number, max: number, before: number): number =>
  Math.min(initial * 2 ** Math.min(before, 30), max)

/** Runs a job repeatedly, as its channel's structure says. */
export class JobKeeper extends Context.Service<
  JobKeeper,
  {
    /**
     * Carries out the desired state of the job in this generation: runs it to its end, or confirms that it has stopped.
     * Returns when nothing is left to do, or when the tenant is suspended. Interruption ends the run, which may then
     * continue on another gateway.
     */
    readonly keep: (job: DesiredJob) => Effect.Effect<void>
    /** Wakes followers in this process when the job with the given id has new output. */
    readonly signals: Signals
  }
>()("flow/channels/JobKeeper") {
  static readonly layer = Layer.effect(
    JobKeeper,
    Effect.gen(function* () {
      const store = yield* JobStore
      const folders = yield* ChannelFolders
      const attempts = yield* Attempts
      const positions = yield* PositionStore
      const engine = yield* Engine
      const gateway = yield* Gateway
      const clock = yield* ScheduleClock
      const signals = new Signals()
      const rules = yield* TenantRules
      const { jobs } = yield* Settings
      const placesOf = (tenant: TenantId) => rules.limitsOf(tenant).runningJobs.value ?? jobs.all
      const places = new Turns(lastingPlaces(jobs, placesOf))
      ;(yield* InUse).counts("runningJobs", (tenant) => places.takenBy(tenant))
      yield* observeQueue("jobs", places)

      const definitionOf = Effect.fnUntraced(function* ({ tenant, channel, cluster, job }: JobKey) {
        const { jobs, issues, file } = yield* folders.structure(tenant, channel)
        if (issues[0] !== undefined) return `${file}: ${issueText(issues[0])}`
        return (
          jobs.find((other) => other.name === job && other.cluster === cluster) ??
          `${file}: the job ${cluster}/${job} no longer exists`
        )
      })

      /** The attempt of this gateway: from the claim to the job's end, or until the job is stopped. */
      const attempt = (claim: JobClaim) => {
        const { tenant, epoch, lines } = claim
        const id = jobId(claim)
        const scope = jobScope(claim)
        const name = `job ${id}`
        const metrics = jobMetrics(claim)
        const changed = Effect.sync(() => signals.changed(id))
        const {
          prepare,
          run,
          guarded,
          hold,
          nodes,
          outcome: outcomeOf
        } = attempts.begin({
          name,
          tenant,
          epoch,
          scope,
          flowlineId: scope,
          lines,
          changed,
          confirmEvery: jobHeartbeat,
          confirm: (nodes) => store.beat(claim, nodes, outcomeOf()),
          started: (jobId) =>
            Effect.tap(store.change(claim, { status: "ACTIVE", jobId }), (reached) =>
              reached ? metrics.status("ACTIVE") : Effect.void
            ).pipe(Effect.catchTag("TooManyArchives", Effect.die)),
          output: (lines) => store.output(claim, lines),
          truncated: Effect.succeed(true),
          // The counters are stored with the next confirmation.
          counters: (nodes, flowline) => Effect.as(metrics.counters(flowline, nodes, outcomeOf()), true),
          progress: (given) => store.progress(claim, given),
          claimFiles: (paths) => store.claimFiles(claim, paths)
        })

        /** Makes the change; returns why it was not made when its archive exceeds the tenant's limit. */
        const changeWithArchive = (change: JobChange) => {
          const archives = archiveQuotaOf(rules.limitsOf(tenant))
          let refusal: string | undefined
          const write = store.change(claim, { ...change, archives }).pipe(
            Effect.catchTag("TooManyArchives", ({ limit, value, used }) => {
              refusal = overLimit(tenant, limit, value, used)
              return Effect.succeed(true)
            })
          )
          return Effect.gen(function* () {
            yield* fenced(write)
            if (refusal !== undefined) return refusal
            yield* metrics.status(change.status)
            yield* changed
            return undefined
          })
        }
        const change = (change: JobChange) => Effect.asVoid(changeWithArchive(change))
        /** What the run that has ended leaves behind. */
        const done = (): Pick<JobChange, "nodes" | "outcome"> => {
          const [counters, outcome] = [nodes(), outcomeOf()]
          return counters === undefined || outcome === undefined ? {} : { nodes: counters, outcome }
        }

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
          return yield* prepare(found.success.flowline, order, positions.load(tenant, scope))
        })

        /** One run, from reading the flowline file to its end. */
        const runOnce = Effect.fnUntraced(function* (job: JobDefinition, work: number) {
          const spec = yield* prepared(job, work).pipe(
            Effect.catchTag("StorageUnreachable", () => Effect.succeed(Result.fail(unreadable))),
            Effect.catchDefect((defect) => Effect.map(logDefect(name)(defect), Result.fail))
          )
          return Result.isFailure(spec) ? notBegun(spec.failure) : yield* run(spec.success)
        })

        /** Waits until the time is due. What it returns is that time, after the jumps of the clock meanwhile. */
        const untilDue = Effect.fnUntraced(function* (schedule: Cron.Cron, first: ScheduleTime) {
          let due = first
          for (let shown: number | undefined; ; ) {
            const now = yield* clock.now
            due = carried(schedule, due, now)
            if (due.at !== shown) yield* change({ status: "ACTIVE", nextAt: due.at })
            shown = due.at
            const remaining = Math.max(0, due.at - now.at)
            yield* Effect.sleep(Math.min(remaining, clockLook))
            if (remaining <= clockLook) return due
          }
        })

        /** Repeats runs until the job has ended or has failed too often. */
        const keepRunning = Effect.gen(function* () {
          let { restarts } = claim
          /** The time of the schedule that comes next. */
          let due: ScheduleTime | undefined
          // On a busy machine the run of a killed gateway may continue for a moment.
          if (claim.previous !== null) yield* engine.gone(claim.previous)
          let failures = claim.failures
          /** Number of consecutive failures soon after a start. */
          let inARow = 0
          /** Number of consecutive attempts without a run. */
          let inVain = 0
          let known: JobDefinition | undefined
          let { work } = claim
          for (;;) {
            const job = yield* definitionOf(claim).pipe(
              Effect.orElseSucceed(() => unreadable),
              Effect.catchDefect(logDefect(name))
            )
            const definition = typeof job === "string" ? undefined : job
            known = definition ?? known
            if (definition?.schedule !== undefined) {
              due = yield* untilDue(
                definition.schedule,
                due ?? resumed(definition.schedule, claim.nextAt, yield* clock.now)
              )
            } else if (definition !== undefined) yield* change({ status: "STARTING", nextAt: null })
            let begun: ScheduleTime | undefined
            const inItsPlace = Effect.fnUntraced(function* (job: JobDefinition) {
              begun = yield* clock.now
              return yield* guarded(runOnce(job, work), (error) => Effect.succeed(failed(error)))
            })
            const outcome =
              definition === undefined
                ? notBegun(String(job))
                : yield* places.within(claim.tenant, inItsPlace(definition))
            const now = yield* clock.now
            begun ??= now
            const { initial, max, perHour } = known?.restart ?? { initial: 1000, max: 60_000, perHour: 20 }
            if (outcome._tag === "NotBegun") {
              const pause = pauseOf(initial, max, inVain++)
              // The schedule's next time stays the same, because nothing was run.
              const again = known !== undefined && known.schedule === undefined ? { nextAt: now.at + pause } : {}
              yield* change({ status: "RESTARTING", lastError: outcome.reason, ...again })
              yield* Effect.sleep(pause)
              continue
            }
            inVain = 0
            if (outcome._tag === "Abandoned") {
              yield* change({ status: "STARTING" })
              yield* Effect.sleep(initial)
              continue
            }
            let lastError: string | undefined
            if (outcome._tag === "Failed") lastError = outcome.error
            else if (definition?.schedule === undefined) {
              lastError = yield* changeWithArchive({
                ...done(),
                ...{ status: "FINISHED", archive: outcome.archive, succeeded: true }
              })
              if (lastError === undefined) return
            } else {
              const next = following(definition.schedule, due ?? begun, begun)
              const succeeded = { nextAt: next.at, work: work + 1, archive: outcome.archive, succeeded: true } as const
              lastError = yield* changeWithArchive({ status: "ACTIVE", ...done(), ...succeeded })
              if (lastError === undefined) {
                due = next
                inARow = 0
                work++
                continue
              }
            }
            const recent = failures.filter(({ at }) => at > now.at - hour && at <= now.at)
            failures = withFailure(recent, { at: now.at, error: lastError }, perHour + 1)
            if (failures.length > perHour) return yield* change({ status: "FAILED", ...done(), lastError, failures })
            restarts++
            if (now.at - now.jumps - (begun.at - begun.jumps) >= max) inARow = 0
            const pause = pauseOf(initial, max, inARow++)
            const again = { restarts, nextAt: now.at + pause }
            yield* change({ status: "RESTARTING", ...done(), lastError, failures, ...again })
            yield* metrics.restarted
            yield* Effect.sleep(pause)
            if (due !== undefined) due = yield* clock.now
          }
        })

        return hold(keepRunning, () => store.release(claim)).pipe(Effect.ensuring(metrics.gone))
      }

      const keep = Effect.fn("JobKeeper.keep")(function* (job: DesiredJob) {
        const isSuspended = rules.isSuspended(job.tenant)
        const claim = isSuspended ? undefined : yield* retryWhileUnreachable(store.claim(job, gateway.name))
        if (claim === undefined) return yield* retryWhileUnreachable(store.stopped(job))
        // The recovery of jobs starts it again when the suspension is lifted.
        yield* Effect.raceFirst(attempt(claim), rules.untilSuspended(job.tenant))
      })

      return JobKeeper.of({ keep, signals })
    })
  )
}
