import { type Duration, Effect, Layer } from "effect"
import { inBackground, survive } from "../shared/process/Background.ts"
import { AuditStore } from "./AuditStore.ts"

/**
 * Logs the last row of each chain, at the start and then periodically. Somebody who keeps the log elsewhere can prove
 * later that the rows up to there are unchanged.
 */
export const schedule = (every: Duration.Input = "1 day") =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const store = yield* AuditStore
      const name = "Logging the heads of the audit"
      const tell = Effect.gen(function* () {
        for (const { chain, seq, hash } of yield* store.heads) {
          yield* Effect.logInfo(`The audit of ${chain ?? "(no tenant)"} ends with row ${seq}, hash ${hash}`)
        }
      })
      yield* Effect.forkScoped(survive(name, tell))
      yield* inBackground(name, tell, every)
    })
  )
