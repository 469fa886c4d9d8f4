import type { Feature } from "../shared/openapi/OpenApiParts.ts"
import { operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

/** What OpenAPI says of the platform. */
export const platform: Feature<"properties" | "tenant" | "installation"> = {
  description: "The platform as a whole",
  operations: {
    properties: operation(
      "The content of the platform's file. Values of secret members are `********`, and so are those that the file lists " +
        "as `masked`.",
      revalidated
    ),
    tenant: operation("The tenant that the gateway's settings name as the default.", revalidated),
    installation: operation(
      "A gateway is listed for as long as it gives heartbeats: one that was killed disappears within seven seconds. It " +
        "needs the role for every tenant.",
      revalidated
    )
  },
  schemas: {
    TenantResponse: { description: "The default tenant", example: { tenant: "mytenant" } },
    InstallationResponse: {
      description: "The gateways on one database, and what they keep",
      example: {
        version: "0.1.0",
        gateways: [
          {
            name: "host1:4711",
            address: "10.0.0.7:4243",
            seenAt: "2026-01-01T00:00:00.000Z",
            answering: true,
            executions: 2,
            jobs: 5
          }
        ],
        retention: {
          mode: "on",
          nextRoundAt: "2026-01-01T00:10:00.000Z",
          keeps: [
            {
              kind: "executions",
              setting: "FLOW_KEEP_EXECUTIONS",
              ageSeconds: 7776000,
              number: 100000,
              bytes: 10737418240
            }
          ]
        }
      }
    }
  }
}
