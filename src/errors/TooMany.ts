import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The tenant has reached the maximum count of something. `limit` is the name of the setting, `value` its value. */
export class TooMany extends HttpApiError.Problem<TooMany>()(
  "TooMany",
  { type: "/problems/too-many", status: 429, title: "Too many" },
  { limit: Schema.String, value: Schema.Int, tenant: Schema.optionalKey(Schema.String) }
) {}
