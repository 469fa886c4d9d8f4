import { Context, Layer } from "effect"
import type { TenantId } from "../shared/Tenant.ts"
import type { LimitName } from "./Limits.ts"

type Count = (tenant: TenantId) => number

/**
 * Usage that this gateway counts in memory. The feature that counts registers a function for its limit, and the
 * endpoint of limits calls it.
 */
export class UsageCounters extends Context.Service<
  UsageCounters,
  {
    readonly counts: (limit: LimitName, count: Count) => void
    readonly of: (limit: LimitName, tenant: TenantId) => number | undefined
  }
>()("flow/limits/UsageCounters") {
  static readonly layer = Layer.sync(UsageCounters, () => {
    const counts = new Map<LimitName, Count>()
    return UsageCounters.of({
      counts: (limit, count) => counts.set(limit, count),
      of: (limit, tenant) => counts.get(limit)?.(tenant)
    })
  })
}
