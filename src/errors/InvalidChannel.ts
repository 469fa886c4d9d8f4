import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { Issue } from "./BadRequest.ts"

/**
 * A channel that cannot be started as its files are: one issue per fault, with `file` in the tenant's configuration.
 */
export class InvalidChannel extends HttpApiError.Problem<InvalidChannel>()(
  "InvalidChannel",
  { type: "/problems/invalid-channel", status: 422, title: "Invalid channel" },
  {
    tenant: Schema.String,
    channel: Schema.String,
    issues: Schema.Array(Schema.Struct({ ...Issue.fields, file: Schema.optionalKey(Schema.String) }))
  }
) {}
