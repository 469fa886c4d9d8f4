import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The tenant has as many of a thing as it may have. `limit` names the setting, `value` is what it is set to. */
export class TooMany extends HttpApiError.Problem<TooMany>()(
  "TooMany",
  { type: "/problems/too-many", status: 429, title: "Too many" },
  { limit: Schema.String, value: Schema.Int, tenant: Schema.optionalKey(Schema.String) }
) {}
