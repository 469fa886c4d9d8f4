import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** A tenant's or principal's limit leaves no room for the request. Nothing was done. */
export class LimitExceeded extends Problem<LimitExceeded>()(
  "LimitExceeded",
  { type: "/problems/limit-exceeded", status: 429, title: "Limit exceeded" },
  {
    limit: Schema.String.annotate({ description: "Name of the limit" }),
    value: Schema.Finite.annotate({ description: "Value of the limit" }),
    used: Schema.Finite.annotate({ description: "What is in use, or would be with the request" }),
    key: Schema.String.annotate({ description: "What is counted, such as `tenant:mytenant`" }),
    tenant: Schema.optionalKey(Schema.String),
    retryAfter: Schema.optionalKey(
      Schema.Int.annotate({ description: "Seconds after which another try is worthwhile, as in `Retry-After`" })
    )
  }
) {}
