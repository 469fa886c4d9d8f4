import { Schema } from "effect"

const ProposedField = Schema.Struct({
  name: Schema.String,
  type: Schema.Literals(["text", "int", "float"]),
  examples: Schema.Array(Schema.String).annotate({ description: "Some of the values that the samples have" })
}).annotate({ identifier: "ProposedField" })

const Proposal = Schema.Struct({
  operator: Schema.Literals(["grok", "dissect"]),
  pattern: Schema.String,
  fields: Schema.Array(ProposedField),
  matched: Schema.Int.annotate({ description: "Number of samples that match" }),
  specificity: Schema.Finite.annotate({
    description: "How much the pattern says of a sample: a time counts more than a number, that more than free text"
  }),
  micros: Schema.Finite.annotate({ description: "Processing time of a sample in microseconds" })
}).annotate({ identifier: "Proposal" })

export const Proposals = Schema.Struct({
  total: Schema.Int.annotate({ description: "Samples that were looked at" }),
  hints: Schema.optionalKey(Schema.Array(Schema.String)),
  proposals: Schema.Array(Proposal).annotate({
    description: "What matches more samples comes first, then what says more of them, then what takes less time"
  })
}).annotate({ identifier: "Proposals" })

/** Limits of the samples for proposals: bytes of the input, samples, and UTF-16 units of one. */
export const proposalLimits = { input: 4 * 1024 * 1024, samples: 5000, length: 8192 }
