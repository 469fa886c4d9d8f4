import { digested, type Feature, listed, operation } from "../shared/openapi/OpenApiParts.ts"

const key = {
  id: "3f9a0c52",
  name: "nightly loads",
  role: "operator",
  owner: "user:alice",
  parent: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-04-01T00:00:00.000Z"
}
const request = { name: "nightly loads", role: "operator", expiresInDays: 90 }

/** What OpenAPI says of API keys. */
export const keys: Feature<"create" | "list" | "revoke"> = {
  description: "API keys of a tenant",
  operations: {
    create: operation(
      "The key holds for this tenant only, with at most the role of who makes it. The gateway stores its SHA-256, so the " +
        "key cannot be shown again. `Idempotency-Key` is ignored: a repeated request makes another key.",
      digested,
      { body: request, answers: { 201: { headers: ["Cache-Control"] } } }
    ),
    list: operation(
      "Keys that were revoked or have expired stay in the list for 90 days. No answer has a key's secret or hash.",
      listed
    ),
    revoke: operation(
      "Keys that were made with it are revoked, too. Every gateway refuses them within five seconds. Revoking a key " +
        "again changes nothing."
    )
  },
  schemas: {
    KeyRequest: { description: "A key to make", example: request },
    NewApiKey: {
      description: "A key that was just made, with its text",
      example: { ...key, key: `fgk_3f9a0c52_${"A".repeat(43)}` }
    },
    ApiKey: {
      description: "An API key, without its text",
      example: { ...key, lastUsedAt: "2026-01-02T00:00:00.000Z", revokedAt: null }
    }
  }
}
