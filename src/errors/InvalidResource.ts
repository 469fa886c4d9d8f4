import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The request is well formed, but what it says of the resource does not hold. Nothing was changed. */
export class InvalidResource extends HttpApiError.Problem<InvalidResource>()(
  "InvalidResource",
  { type: "/problems/invalid-resource", status: 422, title: "The resource cannot be made as asked" },
  { tenant: Schema.String, name: Schema.String, limit: Schema.optionalKey(Schema.Int) }
) {}
