import type { Feature } from "../shared/OpenApiParts.ts"
import { operation, revalidated } from "../shared/OpenApiParts.ts"

/** What OpenAPI says of the platform. */
export const platform: Feature<"properties" | "tenant"> = {
  description: "The platform as a whole",
  operations: {
    properties: operation(
      "The content of the platform's file. Values of secret members are `********`, and so are those that the file lists " +
        "as `masked`.",
      revalidated
    ),
    tenant: operation("The tenant that the gateway's settings name as the default.", revalidated)
  },
  schemas: { TenantResponse: { description: "The default tenant", example: { tenant: "mytenant" } } }
}
