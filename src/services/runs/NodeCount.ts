import { Schema } from "effect"

/** The counters of a node in responses. */
export const NodeCount = Schema.Struct({
  component: Schema.String,
  recordsIn: Schema.Int,
  recordsOut: Schema.Int,
  total: Schema.optionalKey(Schema.Int.annotate({ description: "The final value of recordsOut, if it is known" })),
  lag: Schema.optionalKey(Schema.Int.annotate({ description: "Unread bytes of a followed input" })),
  waiting: Schema.optionalKey(
    Schema.Int.annotate({ description: "Records that were passed on to the node and that it has not processed yet" })
  ),
  streams: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Int).annotate({
      description: "Records that went out on each stream, of a node that publishes several streams besides `errors`"
    })
  ),
  errors: Schema.Int,
  files: Schema.optionalKey(Schema.Int.annotate({ description: "Files that an input has read" })),
  matched: Schema.optionalKey(Schema.Int.annotate({ description: "Records that were parsed or enriched" })),
  unmatched: Schema.optionalKey(Schema.Int.annotate({ description: "Records that were not parsed or enriched" })),
  dropped: Schema.optionalKey(Schema.Int.annotate({ description: "Records that were not passed on, as is meant" })),
  reloads: Schema.optionalKey(Schema.Int.annotate({ description: "How often a changed table was read again" })),
  failedReloads: Schema.optionalKey(
    Schema.Int.annotate({ description: "How often a changed table could not be used, so that the former one was kept" })
  ),
  lastError: Schema.optionalKey(Schema.String),
  replacedBytes: Schema.optionalKey(
    Schema.Int.annotate({ description: "Bytes that the encoding of an input does not have; they became U+FFFD" })
  ),
  warning: Schema.optionalKey(
    Schema.String.annotate({ description: "What is worth a look although no record was rejected" })
  )
}).annotate({ identifier: "NodeCount" })
