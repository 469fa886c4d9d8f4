import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The tenant has reached the maximum count of something. `limit` is the name of the limit, `value` its value. */
export class TooMany extends Problem<TooMany>()(
  "TooMany",
  { type: "/problems/too-many", status: 429, title: "Too many" },
  {
    limit: Schema.String,
    value: Schema.Int,
    used: Schema.Int.annotate({ description: "What would be in use with the request" }),
    key: Schema.String.annotate({ description: "What is counted, such as `tenant:mytenant`" }),
    tenant: Schema.optionalKey(Schema.String)
  }
) {}
