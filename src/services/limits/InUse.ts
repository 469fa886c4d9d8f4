import { Context, Layer } from "effect"
import type { TenantId } from "../shared/Tenant.ts"
import type { LimitName } from "./Limits.ts"

type Count = (tenant: TenantId) => number

/**
 * Usage that this gateway counts in memory. The feature that counts registers a function for its limit, and the
 * endpoint of limits calls it.
 */
export class InUse extends Context.Service<
  InUse,
  {
    readonly counts: (limit: LimitName, count: Count) => void
    readonly of: (limit: LimitName, tenant: TenantId) => number | undefined
  }
>()("flow/limits/InUse") {
  static readonly layer = Layer.sync(InUse, () => {
    const counts = new Map<LimitName, Count>()
    return InUse.of({
      counts: (limit, count) => counts.set(limit, count),
      of: (limit, tenant) => counts.get(limit)?.(tenant)
    })
  })
}
