import { Context, Effect, Layer } from "effect"
import { Search } from "../../drivers/search/Search.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Principal } from "../shared/security/Principal.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type LimitName, type LimitSource, limitKinds, limitNames } from "./Limits.ts"
import { RequestRates } from "./RequestRates.ts"
import { TenantRules } from "./TenantRules.ts"
import { UsageCounters } from "./UsageCounters.ts"
import { FileMeter, UsageStore } from "./UsageStore.ts"

/** A limit, and what is used of it; null for no limit, and where nothing is counted between requests. */
interface LimitState {
  readonly limit: LimitName
  readonly description: string
  readonly unit: string
  readonly scope: "tenant" | "gateway" | "execution"
  readonly value: number | null
  readonly used: number | null
  readonly source: LimitSource
  readonly setting?: string
}

/** Tells the limits of a tenant. */
export class LimitUsage extends Context.Service<
  LimitUsage,
  {
    readonly of: (
      tenant: TenantId,
      principal: Principal
    ) => Effect.Effect<
      { readonly tenant: string; readonly suspended: boolean; readonly limits: ReadonlyArray<LimitState> },
      StorageUnreachable
    >
  }
>()("flow/limits/LimitUsage") {
  static readonly layer = Layer.effect(
    LimitUsage,
    Effect.gen(function* () {
      const rules = yield* TenantRules
      const stored = yield* UsageStore
      const files = yield* FileMeter
      const search = yield* Search
      const inUse = yield* UsageCounters
      const rates = yield* RequestRates
      return LimitUsage.of({
        of: Effect.fn("LimitUsage.of")(function* (tenant, principal) {
          const [counts, area, indices] = yield* Effect.all(
            [stored.of(tenant), files.of(tenant), search.indices(tenant)],
            { concurrency: 3 }
          )
          const sum = (of: "documents" | "bytes") => indices.reduce((total, index) => total + index[of], 0)
          const used = new Map<LimitName, number>([
            ...Object.entries({ ...counts, ...area }).map(([name, count]) => [name as LimitName, count] as const),
            ["documents", sum("documents")],
            ["documentBytes", sum("bytes")]
          ])
          for (const [name, count] of rates.used(tenant, principal)) used.set(name, count)
          const known = rules.limitsOf(tenant)
          const limits = limitNames.map(
            (limit): LimitState => ({
              limit,
              ...limitKinds[limit],
              value: known[limit].value ?? null,
              used: used.get(limit) ?? inUse.of(limit, tenant) ?? null,
              source: known[limit].source
            })
          )
          return { tenant, suspended: rules.isSuspended(tenant), limits }
        })
      })
    })
  )
}
