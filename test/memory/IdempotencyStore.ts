import { Clock, Duration, Effect, Layer } from "effect"
import { type IdempotencyKey, IdempotencyStore } from "../../src/services/shared/IdempotencyStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"

interface Entry {
  readonly fingerprint: string
  readonly begunAt: number
  answer?: string
}

const lifetime = Duration.toMillis("24 hours")

/** First answers in the process's memory, for tests. */
export const layer = Layer.sync(IdempotencyStore, () => {
  const entries = new Map<string, Entry>()
  const keyOf = (tenant: TenantId, key: IdempotencyKey) => `${tenant} ${key}`
  return IdempotencyStore.of({
    begin: (tenant, key, fingerprint) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = entries.get(keyOf(tenant, key))
        if (entry === undefined || entry.begunAt < now - lifetime) {
          entries.set(keyOf(tenant, key), { fingerprint, begunAt: now })
          return { _tag: "New" }
        }
        if (entry.fingerprint !== fingerprint) return { _tag: "Different" }
        return entry.answer === undefined ? { _tag: "InProgress" } : { _tag: "Answered", answer: entry.answer }
      }),
    finish: (tenant, key, answer) =>
      Effect.sync(() => {
        const entry = entries.get(keyOf(tenant, key))
        if (entry !== undefined) entry.answer = answer
      }),
    forget: (tenant, key) => Effect.sync(() => void entries.delete(keyOf(tenant, key)))
  })
})
