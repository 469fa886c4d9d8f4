import { Effect, Layer } from "effect"
import { Uploads } from "../shared/capacity/Uploads.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { LimitRefusals } from "./LimitRefusals.ts"
import { TenantRules } from "./TenantRules.ts"
import { UsageCounters } from "./UsageCounters.ts"

/** Refuses uploads beyond the tenant's limit: nobody has to send a file to wait for a place. */
export const layer = Layer.effect(
  Uploads,
  Effect.gen(function* () {
    const rules = yield* TenantRules
    const refusals = yield* LimitRefusals
    const underWay = new Map<TenantId, number>()
    const countOf = (tenant: TenantId) => underWay.get(tenant) ?? 0
    ;(yield* UsageCounters).counts("concurrentUploads", countOf)
    const leave = (tenant: TenantId) =>
      Effect.sync(() => {
        const left = countOf(tenant) - 1
        if (left === 0) underWay.delete(tenant)
        else underWay.set(tenant, left)
      })
    const enter = (tenant: TenantId) =>
      Effect.suspend(() => {
        const { value } = rules.limitsOf(tenant).concurrentUploads
        const used = countOf(tenant) + 1
        if (value !== undefined && used > value) {
          const detail = `${value} uploads of the tenant "${tenant}" are under way, which is the limit concurrentUploads`
          return refusals.refuse(tenant, { limit: "concurrentUploads", value, used, retryAfter: 1, detail })
        }
        underWay.set(tenant, used)
        return Effect.void
      })
    return Uploads.of({
      begin: (tenant) => Effect.acquireRelease(enter(tenant), () => leave(tenant)),
      underWay: countOf,
      refused: refusals.count
    })
  })
)
