import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** A part of the request exceeds a limit. `limit` is the name of the setting, `value` its value (bytes or a count). */
export class TooLarge extends Problem<TooLarge>()(
  "TooLarge",
  { type: "/problems/too-large", status: 413, title: "Too large" },
  {
    limit: Schema.String,
    value: Schema.Int,
    part: Schema.optionalKey(Schema.String),
    used: Schema.optionalKey(Schema.Int.annotate({ description: "What would be in use, for limits of tenants" })),
    key: Schema.optionalKey(Schema.String.annotate({ description: "What is counted, such as `tenant:mytenant`" }))
  }
) {}
