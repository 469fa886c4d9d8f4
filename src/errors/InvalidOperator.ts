import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The input of the operator test is unreadable, or a pattern does not compile. The contract gives it status 500. */
export class InvalidOperator extends HttpApiError.Problem<InvalidOperator>()(
  "InvalidOperator",
  { type: "/problems/invalid-operator", status: 500, title: "Invalid input or pattern" },
  {
    part: Schema.String,
    /**
     * The tenant's definitions file or artifact that `line` and `column` refer to, when they do not refer to the part.
     */
    source: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    column: Schema.optionalKey(Schema.Int),
    text: Schema.optionalKey(Schema.String)
  }
) {}
