import { type Cron, Effect } from "effect"
import { clockLook } from "../../protocol/Liveness.ts"
import type { NewArchive } from "../archives/ArchiveStore.ts"
import { Engine } from "../runs/Engine.ts"
import { carried, following, resumed, ScheduleClock, type ScheduleTime } from "../runs/ScheduleClock.ts"
import type { FairSemaphore } from "../shared/capacity/FairSemaphore.ts"
import type { ClaimedJob } from "./ClaimedJob.ts"
import { withFailure } from "./Job.ts"
import type { JobDefinition, RestartPolicy } from "./Structure.ts"

const hour = 3_600_000

/** How a job is repeated whose definition could never be read. */
const usualRestart: RestartPolicy = { initial: 1000, max: 60_000, perHour: 20 }

/** Milliseconds before the next attempt. */
const pauseOf = ({ initial, max }: RestartPolicy, before: number): number =>
  Math.min(initial * 2 ** Math.min(before, 30), max)

/** Repeats the runs of claimed jobs; each run takes one of the places. */
export const jobRepeats = Effect.fnUntraced(function* (places: FairSemaphore) {
  const engine = yield* Engine
  const clock = yield* ScheduleClock

  /** Repeats runs until the job has ended or has failed too often. */
  return Effect.fnUntraced(function* (claimed: ClaimedJob) {
    const { claim, change, changeWithArchive, done, metrics } = claimed
    let { restarts, failures, work } = claim
    /** The time of the schedule that comes next. */
    let due: ScheduleTime | undefined
    /** Number of consecutive failures soon after a start. */
    let inARow = 0
    /** Number of consecutive attempts without a run. */
    let inVain = 0
    let known: JobDefinition | undefined

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

    /** Waits until the next run may begin. */
    const untilStart = Effect.fnUntraced(function* ({ schedule }: JobDefinition) {
      if (schedule === undefined) yield* change({ status: "STARTING", nextAt: null })
      else due = yield* untilDue(schedule, due ?? resumed(schedule, claim.nextAt, yield* clock.now))
    })

    const runInPlace = (job: JobDefinition) =>
      places.within(
        claim.tenant,
        Effect.gen(function* () {
          const begun = yield* clock.now
          return { begun, outcome: yield* claimed.run(job, work) }
        })
      )

    const afterNoRun = Effect.fnUntraced(function* (reason: string, restart: RestartPolicy, now: ScheduleTime) {
      // An attempt without a run costs no place and counts as no failure, so nothing else keeps it from the next one.
      const pause = Math.max(pauseOf(restart, inVain++), usualRestart.initial)
      // The schedule's next time stays the same, because nothing was run.
      const again = known !== undefined && known.schedule === undefined ? { nextAt: now.at + pause } : {}
      yield* change({ status: "RESTARTING", lastError: reason, ...again })
      yield* Effect.sleep(pause)
    })

    /** Returns why the run counts as a failure after all, if its archive exceeds the tenant's limit. */
    const afterSuccess = Effect.fnUntraced(function* (
      { schedule }: JobDefinition,
      archive: NewArchive | undefined,
      begun: ScheduleTime
    ) {
      const succeeded = { ...done(), archive, succeeded: true } as const
      if (schedule === undefined) return yield* changeWithArchive({ ...succeeded, status: "FINISHED" })
      const next = following(schedule, due ?? begun, begun)
      const again = { status: "ACTIVE", nextAt: next.at, work: work + 1 } as const
      const refusal = yield* changeWithArchive({ ...succeeded, ...again })
      if (refusal === undefined) {
        due = next
        inARow = 0
        work++
      }
      return refusal
    })

    /** Waits before the next attempt. Returns whether there is none, because the job has failed too often. */
    const afterFailure = Effect.fnUntraced(function* (
      lastError: string,
      restart: RestartPolicy,
      begun: ScheduleTime,
      now: ScheduleTime
    ) {
      const { max, perHour } = restart
      const recent = failures.filter(({ at }) => at > now.at - hour && at <= now.at)
      failures = withFailure(recent, { at: now.at, error: lastError }, perHour + 1)
      if (failures.length > perHour) {
        yield* change({ status: "FAILED", ...done(), lastError, failures })
        return true
      }
      restarts++
      if (now.at - now.jumps - (begun.at - begun.jumps) >= max) inARow = 0
      const pause = pauseOf(restart, inARow++)
      yield* change({ status: "RESTARTING", ...done(), lastError, failures, restarts, nextAt: now.at + pause })
      yield* metrics.restarted
      yield* Effect.sleep(pause)
      if (due !== undefined) due = yield* clock.now
      return false
    })

    // On a busy machine the run of a killed gateway may continue for a moment.
    if (claim.previous !== null) yield* engine.gone(claim.previous)
    for (;;) {
      const job = yield* claimed.definition
      if (typeof job === "string") {
        yield* afterNoRun(job, known?.restart ?? usualRestart, yield* clock.now)
        continue
      }
      known = job
      yield* untilStart(job)
      const { begun, outcome } = yield* runInPlace(job)
      const now = yield* clock.now
      if (outcome._tag === "NotBegun") {
        yield* afterNoRun(outcome.reason, job.restart, now)
        continue
      }
      inVain = 0
      if (outcome._tag === "Abandoned") {
        yield* change({ status: "STARTING" })
        yield* Effect.sleep(job.restart.initial)
        continue
      }
      const lastError = outcome._tag === "Failed" ? outcome.error : yield* afterSuccess(job, outcome.archive, begun)
      if (lastError === undefined) {
        if (job.schedule === undefined) return
        continue
      }
      if (yield* afterFailure(lastError, job.restart, begun, now)) return
    }
  })
})
