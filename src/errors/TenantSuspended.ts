import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The operator has suspended the tenant: it can be read, but nothing is changed or started. */
export class TenantSuspended extends Problem<TenantSuspended>()(
  "TenantSuspended",
  { type: "/problems/tenant-suspended", status: 403, title: "The tenant is suspended" },
  { tenant: Schema.String }
) {}
