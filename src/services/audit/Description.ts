import { type Feature, listed, type Operation, operation } from "../shared/openapi/OpenApiParts.ts"

const lines: Partial<Operation> = {
  headers: ["Accept"],
  answers: {
    200: {
      headers: ["Vary"],
      content: { "application/x-ndjson": { schema: { $ref: "#/components/schemas/AuditEntry" } } }
    },
    304: { headers: ["Vary"] }
  }
}

/** What OpenAPI says of the audit. */
export const audit: Feature<"list" | "platform"> = {
  description: "Who changed what, and who was refused",
  operations: {
    list: operation(
      "Each row has the hash of the row before it; docs/audit.md tells how to verify them. With " +
        "`Accept: application/x-ndjson`, each line is a row.",
      listed,
      lines
    ),
    platform: operation(
      "The rows that belong to no tenant, in the format of a tenant's. It needs the role for every tenant.",
      listed,
      lines
    )
  },
  schemas: {
    AuditEntry: {
      description: "A change, or a refusal",
      example: {
        seq: 1,
        time: "2026-01-01T00:00:00.000000Z",
        tenant: "mytenant",
        principal: "user:alice",
        method: "basic",
        action: "flowlines.save",
        target: "4kQz0vWbT1mXr8sYh2Lc",
        outcome: "done",
        status: null,
        requestId: "0af7651916cd43dd8448eb211c80319c",
        remote: "192.0.2.7",
        before: null,
        after: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        count: 1,
        previous: "0".repeat(64),
        hash: "2f0b1d3e5a7c9b8d6f4e2c0a1b3d5f7e9c8b6a4d2f0e1c3b5a7d9f8e6c4b2a01"
      }
    }
  }
}
