import { Clock, Effect, Layer } from "effect"
import type { Rate } from "../../src/services/limits/Limits.ts"
import { RateStore } from "../../src/services/limits/RateStore.ts"

/** Buckets in the process's memory, filled by the clock of the test. */
export const layer = Layer.sync(RateStore, () => {
  const buckets = new Map<string, { tokens: number; at: number }>()
  const fill = (key: string, { perSecond, capacity }: Rate, now: number) => {
    const known = buckets.get(key)
    const tokens = known === undefined ? capacity : known.tokens + (Math.max(0, now - known.at) / 1000) * perSecond
    return Math.min(capacity, tokens)
  }
  return RateStore.of({
    lease: ({ tenant, principal }, rate, tokens) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = JSON.stringify([tenant, principal])
        const available = fill(key, rate, now)
        const granted = Math.floor(Math.min(tokens, available))
        buckets.set(key, { tokens: available - granted, at: now })
        return { granted, left: available - granted, gateways: 1 }
      }),
    sweep: Effect.void
  })
})
