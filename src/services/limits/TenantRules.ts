import { Context, type Effect } from "effect"
import type { Roots } from "../../protocol/Roots.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { Limits } from "./Limits.ts"

/** What the operator allows each tenant now: the settings, and the access file on top of them. */
export class TenantRules extends Context.Service<
  TenantRules,
  {
    /** The limits of a tenant. The same object for as long as nothing changes; makes no state for unknown tenants. */
    readonly limitsOf: (tenant: TenantId) => Limits
    /** The limits of tenants that have none of their own. */
    readonly general: () => Limits
    /** The folders outside of the configuration that runs of a tenant may use. */
    readonly rootsOf: (tenant: TenantId) => Roots
    readonly isSuspended: (tenant: TenantId) => boolean
    /** The tenants that are suspended. */
    readonly suspended: () => ReadonlyArray<TenantId>
    /** Waits until the tenant is suspended. */
    readonly untilSuspended: (tenant: TenantId) => Effect.Effect<void>
    /** Waits until the tenant is not suspended. */
    readonly untilAllowed: (tenant: TenantId) => Effect.Effect<void>
  }
>()("flow/limits/TenantRules") {}
