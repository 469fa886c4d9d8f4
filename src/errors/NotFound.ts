import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The kinds of things that a request can name. */
export const Kind = Schema.Literals([
  "tenant",
  "archive",
  "file",
  "flowline",
  "execution",
  "operator",
  "route",
  "channel",
  "job",
  "action",
  "resource",
  "page",
  "index",
  "secret",
  "key",
  "schedule",
  "backfill"
])

/**
 * The named thing does not exist for this tenant. The answer does not reveal whether it exists for another tenant, is
 * unreadable, or never existed.
 */
export class NotFound extends Problem<NotFound>()(
  "NotFound",
  { type: "/problems/not-found", status: 404, title: "Not found" },
  { kind: Kind, tenant: Schema.optionalKey(Schema.String), id: Schema.optionalKey(Schema.String) }
) {}
