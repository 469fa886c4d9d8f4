import { Schema } from "effect"

/** What a tenant may use at most. Absent members mean the gateway's default. */
export const TenantLimits = Schema.Struct({})
export type TenantLimits = typeof TenantLimits.Type
