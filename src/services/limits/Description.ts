import { type Feature, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const limit = {
  limit: "waitingExecutions",
  description: "Executions that are `PENDING`",
  unit: "executions",
  scope: "tenant",
  value: 1000,
  used: 3,
  source: "setting",
  setting: "FLOW_TENANT_QUEUE"
}

/** What OpenAPI says of the limits. */
export const limits: Feature<"limits"> = {
  description: "The tenant's limits",
  operations: {
    limits: operation(
      "`value` is null where there is no limit; `used` is null where nothing is counted between requests. `scope` says " +
        "whether all gateways together, each gateway or each execution may have so much, `source` where the value comes " +
        "from: the product, a setting of the gateway, or its access file.",
      revalidated
    )
  },
  schemas: {
    Limit: { description: "A limit, and what is used of it", example: limit },
    TenantLimits: {
      description: "All limits of a tenant",
      example: { tenant: "mytenant", suspended: false, limits: [limit] }
    }
  }
}
