import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The operator test was given an unreadable input or a pattern that does not compile (the contract gives it 500). */
export class InvalidOperator extends HttpApiError.Problem<InvalidOperator>()(
  "InvalidOperator",
  { type: "/problems/invalid-operator", status: 500, title: "Invalid input or pattern" },
  {
    part: Schema.String,
    /** The tenant's file or artifact of definitions that `line` and `column` count in, in place of the part. */
    source: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    column: Schema.optionalKey(Schema.Int),
    text: Schema.optionalKey(Schema.String)
  }
) {}
