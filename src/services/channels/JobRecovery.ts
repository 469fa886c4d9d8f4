import { Effect, Layer } from "effect"
import { jobScan } from "../../protocol/Liveness.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { inBackground } from "../shared/process/Background.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Jobs } from "./JobEntity.ts"
import { JobStore } from "./JobStore.ts"

/** Announces again the jobs that no gateway handles: one may have died between storing a request and announcing it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* JobStore
    const jobs = yield* Jobs
    const rules = yield* TenantRules
    let away = false
    const round = Effect.gen(function* () {
      // While the database was unreachable no gateway could send a heartbeat, so after that one round is skipped.
      if (away) yield* store.list(TenantId(""))
      else yield* Effect.forEach(yield* store.unattended(rules.suspended()), jobs.tell, { discard: true })
      away = false
    }).pipe(
      Effect.catch(() =>
        Effect.sync(() => {
          away = true
        })
      )
    )
    yield* inBackground("The recovery of jobs", round, jobScan)
  })
)
