import { Schema } from "effect"

/**
 * How it went. `begun`: the row was written before an effect that no transaction covers. `failed`: the gateway could not
 * do it.
 */
export const outcomes = ["begun", "done", "refused", "failed"] as const
export const Outcome = Schema.Literals(outcomes)
export type Outcome = typeof Outcome.Type

const digest = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

/** A row of the audit. */
export const AuditEntry = Schema.Struct({
  seq: Schema.Int.annotate({ description: "Number of the row in its chain; the first is 1" }),
  time: Schema.String.annotate({ description: "The database's clock as it wrote the row, ISO 8601 UTC, microseconds" }),
  tenant: Schema.NullOr(Schema.String).annotate({ description: "The tenant; null for what belongs to none" }),
  principal: Schema.String.annotate({ description: "Who did it, or wanted to" }),
  method: Schema.String.annotate({ description: "How the principal was authenticated" }),
  action: Schema.String.annotate({ description: "Group and name of the endpoint, or of the gateway's own work" }),
  target: Schema.String.annotate({ description: "What it was done to; of a refusal the path" }),
  outcome: Outcome,
  status: Schema.NullOr(Schema.Int).annotate({ description: "HTTP status of a refusal or failure" }),
  requestId: Schema.String,
  remote: Schema.NullOr(Schema.String).annotate({ description: "Address of the client" }),
  before: digest("SHA-256 of the content before the change"),
  after: digest("SHA-256 of the content after the change"),
  count: Schema.Int.annotate({ description: "How many equal refusals, or removed things, the row stands for" }),
  previous: Schema.String.annotate({ description: "Hash of the row before it; 64 zeros for the first" }),
  hash: Schema.String.annotate({ description: "SHA-256 of the row" })
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type
