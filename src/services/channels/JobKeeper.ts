import { Context, Effect, Layer } from "effect"
import { TenantRules } from "../limits/TenantRules.ts"
import { UsageCounters } from "../limits/UsageCounters.ts"
import { Gateway } from "../runs/Gateway.ts"
import { retryWhileUnreachable } from "../runs/Outage.ts"
import { Signals } from "../runs/Signals.ts"
import { FairSemaphore, lastingPlaces } from "../shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../shared/process/ObservableMetrics.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { claimedJobs } from "./ClaimedJob.ts"
import { jobRepeats } from "./JobRepeats.ts"
import { type DesiredJob, type JobClaim, JobStore } from "./JobStore.ts"

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
      const gateway = yield* Gateway
      const signals = new Signals()
      const rules = yield* TenantRules
      const { jobs } = yield* Settings
      const placesOf = (tenant: TenantId) => rules.limitsOf(tenant).runningJobs.value ?? jobs.all
      const places = new FairSemaphore(lastingPlaces(jobs, placesOf))
      ;(yield* UsageCounters).counts("runningJobs", (tenant) => places.takenBy(tenant))
      yield* observeQueue("jobs", places)

      const claimed = yield* claimedJobs(signals)
      const repeat = yield* jobRepeats(places)

      /** The attempt of this gateway: from the claim to the job's end, or until the job is stopped. */
      const attempt = (claim: JobClaim) => {
        const job = claimed(claim)
        return job.hold(repeat(job), () => store.release(claim)).pipe(Effect.ensuring(job.metrics.gone))
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
