import { Schema } from "effect"

/** What came of a run that has succeeded. */
export const OutcomeWord = Schema.Literals(["ok", "warnings", "nothing"])
export type OutcomeWord = typeof OutcomeWord.Type

const word = OutcomeWord.annotate({
  description: "Of a run that has succeeded. nothing: no record was written. warnings: not all went well, see reasons"
})

const RunCounts = Schema.Struct({
  read: Schema.Int.annotate({ description: "Records that the inputs have read" }),
  written: Schema.Int.annotate({ description: "Records that the outputs have taken" }),
  rejected: Schema.Int.annotate({ description: "Records that nodes have rejected" }),
  dropped: Schema.Int.annotate({ description: "Records that nodes such as filters have not passed on" })
}).annotate({ identifier: "RunCounts" })

const reasons = Schema.Array(Schema.String).annotate({ description: "Why the outcome is not ok, in sentences" })

/** The members of an answer that tell what a run has done. */
export const outcomeFields = {
  outcome: Schema.optionalKey(word),
  counts: Schema.optionalKey(RunCounts),
  reasons: Schema.optionalKey(reasons)
}
