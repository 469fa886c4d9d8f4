import { Schema } from "effect"

/** The counters of a node in responses. */
export const NodeCount = Schema.Struct({
  component: Schema.String,
  recordsIn: Schema.Int,
  recordsOut: Schema.Int,
  total: Schema.optionalKey(Schema.Int.annotate({ description: "The final value of recordsOut, if it is known" })),
  lag: Schema.optionalKey(Schema.Int.annotate({ description: "Unread bytes of a followed input" })),
  errors: Schema.Int,
  lastError: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "NodeCount" })
