import { Schema } from "effect"

/** Counters of one node, as the interface shows them. */
export const NodeCount = Schema.Struct({
  component: Schema.String,
  recordsIn: Schema.Int,
  recordsOut: Schema.Int,
  total: Schema.optionalKey(
    Schema.Int.annotate({ description: "What recordsOut will be in the end, where it is known" })
  ),
  lag: Schema.optionalKey(Schema.Int.annotate({ description: "Bytes that a followed input has not read yet" })),
  errors: Schema.Int,
  lastError: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "NodeCount" })
