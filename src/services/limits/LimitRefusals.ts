import { Context, Effect, Layer, Metric } from "effect"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { LimitName } from "./Limits.ts"

const refused = Metric.counter("flow_limit_refusals_total", {
  description: "What was refused because of a limit of a tenant, by limit",
  incremental: true
})

/** The members of a refusal. `used` is what would be in use. */
interface Refusal {
  readonly limit: LimitName
  readonly value: number
  readonly used: number
  /** What is counted; the tenant if absent. */
  readonly key?: string
  readonly detail?: string
  /** Seconds after which another try is worthwhile. */
  readonly retryAfter?: number
}

/** Counts refusals. The tenant is one that exists; "" for none. */
export class LimitRefusals extends Context.Service<
  LimitRefusals,
  {
    readonly count: (tenant: TenantId, limit: string) => Effect.Effect<void>
    /** Counts a refusal of another kind and fails with it. */
    readonly refused: <E extends { readonly limit: string }>(tenant: TenantId, error: E) => Effect.Effect<never, E>
    /** Counts a refusal and fails with it. */
    readonly refuse: (tenant: string, refusal: Refusal) => Effect.Effect<never, LimitExceeded>
  }
>()("flow/limits/LimitRefusals") {
  static readonly layer = Layer.sync(LimitRefusals, () => {
    const count = (tenant: string, limit: string) =>
      Metric.update(Metric.withAttributes(refused, tenant === "" ? { limit } : { limit, tenant }), 1)
    return LimitRefusals.of({
      count,
      refused: (tenant, error) => Effect.andThen(count(tenant, error.limit), Effect.fail(error)),
      refuse: (tenant, refusal) =>
        Effect.andThen(
          count(tenant, refusal.limit),
          new LimitExceeded({ key: `tenant:${tenant}`, ...refusal, ...(tenant === "" ? {} : { tenant }) })
        )
    })
  })
}
