import { Schema } from "effect"

export const operators = ["grok", "dissect", "flowlet"] as const
export type Operator = (typeof operators)[number]
/** What a worker does with samples. */
export type SampleWork = Operator | "propose"

const Capture = Schema.Struct({
  name: Schema.String.annotate({ description: "Field name as written in the pattern" }),
  syntax: Schema.optionalKey(Schema.String.annotate({ description: "Grok pattern behind the field" })),
  value: Schema.String,
  start: Schema.Int.annotate({ description: "UTF-16 offset in the sample" }),
  end: Schema.Int
}).annotate({ identifier: "OperatorCapture" })

const Failure = Schema.Struct({
  reason: Schema.Literals(["no-match", "timeout", "conversion", "dropped", "script"]),
  detail: Schema.String,
  matchedUpTo: Schema.optionalKey(
    Schema.Int.annotate({ description: "Length of the longest prefix of the sample that the pattern could match" })
  ),
  failedAt: Schema.optionalKey(Schema.String.annotate({ description: "First sub-pattern that could not match" })),
  message: Schema.optionalKey(Schema.String.annotate({ description: "What the program threw" })),
  line: Schema.optionalKey(Schema.Int.annotate({ description: "Line of the program, from 1" })),
  column: Schema.optionalKey(Schema.Int.annotate({ description: "Column of the program, from 1" }))
}).annotate({ identifier: "OperatorFailure" })

/** The result of an operator on one sample. */
export const SampleResult = Schema.Struct({
  line: Schema.Int.annotate({ description: "Line number in the input, from 1; empty lines are counted" }),
  input: Schema.String,
  truncated: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "True when the sample is too long and `input` holds only its beginning" })
  ),
  matched: Schema.Boolean,
  pattern: Schema.optionalKey(Schema.Int.annotate({ description: "Number of the pattern that matched, from 1" })),
  output: Schema.optionalKey(
    Schema.Unknown.annotate({ description: "The fields, the event, or the events that a program returned" })
  ),
  captures: Schema.optionalKey(Schema.Array(Capture)),
  printed: Schema.optionalKey(Schema.Array(Schema.String)),
  failure: Schema.optionalKey(Failure),
  micros: Schema.optionalKey(Schema.Int.annotate({ description: "Processing time of the sample in microseconds" }))
}).annotate({ identifier: "OperatorSampleResult" })
export type SampleResult = typeof SampleResult.Type

export const OperatorTest = Schema.Struct({
  operator: Schema.Literals(operators),
  total: Schema.Int.annotate({ description: "Samples" }),
  matched: Schema.Int.annotate({ description: "Number of samples that matched" }),
  hints: Schema.optionalKey(Schema.Array(Schema.String)),
  results: Schema.Array(SampleResult)
}).annotate({ identifier: "OperatorTest" })
