import { Effect, Layer, Metric, Schedule, Stream } from "effect"
import { survive } from "../shared/process/Background.ts"
import { type KeyUse, SecretStore } from "./SecretStore.ts"

const stored = Metric.gauge("flow_secrets_stored", {
  description:
    "Stored secrets of all tenants, by their key: current (the first of the file), old (to be encrypted anew) or missing"
})

/** Counts the stored secrets by their keys. All gateways give the same numbers, if they have the same keys. */
export const keyUseMeasurement = Effect.gen(function* () {
  const store = yield* SecretStore
  const series = (key: KeyUse) => Metric.withAttributes(stored, { key })
  const uses: ReadonlyArray<KeyUse> = ["current", "old", "missing"]
  return {
    measure: Effect.flatMap(store.keyUse, (counts) =>
      Effect.forEach(counts, ([key, count]) => Metric.update(series(key), count), { discard: true })
    ),
    forget: Effect.forEach(uses, (key) => Metric.remove(series(key)), { discard: true })
  }
})

/**
 * Encrypts secrets of old keys with the first one: when the keys have changed, and every minute for what another gateway
 * has written with an old key meanwhile.
 */
export const layer = (changes: Stream.Stream<unknown>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const store = yield* SecretStore
      const round = survive("Encrypting secrets with a new key", store.rotate)
      yield* changes.pipe(
        Stream.switchMap(() => Stream.fromEffectSchedule(round, Schedule.spaced("1 minute"))),
        Stream.runDrain,
        Effect.forkScoped
      )
    })
  )
