import { Schema } from "effect"
import { Issue } from "./BadRequest.ts"
import { Problem } from "./Problem.ts"

/**
 * The files of a channel do not allow it to start. `issues` holds one issue per fault; `file` is a path in the tenant's
 * configuration.
 */
export class InvalidChannel extends Problem<InvalidChannel>()(
  "InvalidChannel",
  { type: "/problems/invalid-channel", status: 422, title: "Invalid channel" },
  {
    tenant: Schema.String,
    channel: Schema.String,
    issues: Schema.Array(Schema.Struct({ ...Issue.fields, file: Schema.optionalKey(Schema.String) }))
  }
) {}
