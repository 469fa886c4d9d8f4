import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** One of several faults. */
const Fault = Schema.Struct({
  part: Schema.String,
  source: Schema.optionalKey(Schema.String),
  detail: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  text: Schema.String
}).annotate({ identifier: "OperatorFault" })

/** The input of the operator test is unreadable, or a pattern does not compile. The contract gives it status 500. */
export class InvalidOperator extends Problem<InvalidOperator>()(
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
    text: Schema.optionalKey(Schema.String),
    /** All faults, when there are several; the first one is also the problem itself. */
    issues: Schema.optionalKey(Schema.Array(Fault))
  }
) {}
