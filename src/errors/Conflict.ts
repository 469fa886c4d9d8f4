import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The current state does not allow the request, such as cancelling an execution that has ended. */
export class Conflict extends HttpApiError.Problem<Conflict>()(
  "Conflict",
  { type: "/problems/conflict", status: 409, title: "Conflict" },
  { state: Schema.optionalKey(Schema.String) }
) {}
