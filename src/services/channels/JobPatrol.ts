import { Effect, Layer, Schedule } from "effect"
import { Jobs } from "./JobEntity.ts"
import { JobStore } from "./JobStore.ts"

/** Tells jobs again that nobody takes care of: a gateway may have died between writing a wish down and telling it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* JobStore
    const jobs = yield* Jobs
    const round = Effect.flatMap(store.unattended, (all) => Effect.forEach(all, jobs.tell, { discard: true }))
    yield* round.pipe(Effect.ignore, Effect.schedule(Schedule.spaced("10 seconds")), Effect.forkScoped)
  })
)
