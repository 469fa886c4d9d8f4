import { Effect, Layer, Schedule } from "effect"
import { jobScan } from "../../protocol/Liveness.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Jobs } from "./JobEntity.ts"
import { JobStore } from "./JobStore.ts"

/** Tells jobs again that nobody takes care of: a gateway may have died between writing a wish down and telling it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* JobStore
    const jobs = yield* Jobs
    let away = false
    const round = Effect.gen(function* () {
      // While the database was away no keeper could give a sign of life: first all get the time of a round for that.
      if (away) yield* store.list(TenantId(""))
      else yield* Effect.forEach(yield* store.unattended, jobs.tell, { discard: true })
      away = false
    }).pipe(
      Effect.catch(() =>
        Effect.sync(() => {
          away = true
        })
      ),
      // The next round may go well.
      Effect.catchDefect((defect) => Effect.logError("looking after jobs", defect))
    )
    yield* round.pipe(Effect.schedule(Schedule.spaced(jobScan)), Effect.forkScoped)
  })
)
