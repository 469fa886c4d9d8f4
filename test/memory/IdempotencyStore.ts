import { Clock, Duration, Effect, Layer } from "effect"
import {
  type IdempotencyKey,
  IdempotencyStore,
  type KeyClaim
} from "../../src/services/shared/idempotency/IdempotencyStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"

interface Entry {
  readonly fingerprint: string
  readonly begunAt: number
  readonly token: string
  isRunning: boolean
  answer?: string
}

const lifetime = Duration.toMillis("24 hours")

/** First answers in the process's memory, for tests. */
export const layer = Layer.sync(IdempotencyStore, () => {
  const entries = new Map<string, Entry>()
  const nameOf = (tenant: TenantId, key: IdempotencyKey) => `${tenant} ${key}`
  /** The entry of a claim that has no answer yet. */
  const own = ({ tenant, key, token }: KeyClaim) => {
    const entry = entries.get(nameOf(tenant, key))
    return entry?.token === token && entry.answer === undefined ? entry : undefined
  }
  return IdempotencyStore.of({
    begin: (tenant, key, fingerprint) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const known = entries.get(nameOf(tenant, key))
        const entry = known === undefined || known.begunAt < now - lifetime ? undefined : known
        if (entry !== undefined && entry.fingerprint !== fingerprint) return { _tag: "Different" }
        if (entry?.answer !== undefined) return { _tag: "Answered", answer: entry.answer }
        if (entry?.isRunning === true) return { _tag: "InProgress" }
        const token = crypto.randomUUID()
        entries.set(nameOf(tenant, key), { fingerprint, begunAt: now, token, isRunning: true })
        return { _tag: "New", claim: { tenant, key, token } }
      }),
    commit: (claim, writes, answerOf) =>
      Effect.tap(writes, (made) =>
        Effect.sync(() => {
          const entry = own(claim)
          if (entry !== undefined) entry.answer = answerOf(made)
        })
      ),
    end: (claim, outcome) =>
      Effect.sync(() => {
        const entry = own(claim)
        if (entry === undefined) return
        entry.isRunning = false
        if (outcome === "Refused") entries.delete(nameOf(claim.tenant, claim.key))
      })
  })
})
