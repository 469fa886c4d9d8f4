import { digested, type Feature, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const untagged = { headers: ["If-Match", "If-None-Match"] } as const

const timestamp = "2026-01-01T00:00:00.000Z"

/** What OpenAPI says of secrets. */
export const secrets: Feature<"list" | "put" | "remove"> = {
  description: "Values that flowlines refer to and nobody can read",
  operations: {
    list: operation("Each name once, with the source that runs use. No answer contains a value.", revalidated),
    put: operation(
      "The value replaces an earlier one, and runs that start later get it. It is stored encrypted; without a key of " +
        "`FLOW_SECRETS_KEY_FILE` nothing is stored (409).",
      digested,
      untagged,
      { body: { value: "an example, not a secret" } }
    ),
    remove: operation("Secrets of the folder and of the access file can only be removed there (404).", untagged)
  },
  schemas: {
    SecretEntry: {
      description: "The name of a secret, and its source",
      example: {
        name: "COLLECTOR_TOKEN",
        source: "store",
        updatedAt: timestamp,
        keyId: "2026-01-01-5f3a9c",
        setBy: "user:alice"
      }
    },
    SecretValue: { description: "The value of a secret", example: { value: "an example, not a secret" } }
  }
}
