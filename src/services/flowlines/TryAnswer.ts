import { Schema } from "effect"

const place = {
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
}

const Records = {
  count: Schema.Int.annotate({ description: "Number of records in all" }),
  records: Schema.Array(Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.String])).annotate({
    description: "The first ones; a text where it is no JSON object"
  }),
  cut: Schema.Boolean.annotate({ description: "Whether there are more records than are shown" })
}

export const TriedRecords = Schema.Struct(Records).annotate({ identifier: "TriedRecords" })
export type TriedRecords = typeof TriedRecords.Type

const TriedEdge = Schema.Struct({
  from: Schema.String.annotate({ description: "Component of the node that publishes" }),
  stream: Schema.String,
  to: Schema.Array(Schema.String).annotate({ description: "Components that receive the stream" }),
  ...Records
}).annotate({ identifier: "TriedEdge" })

const UnmatchedSetting = Schema.Struct({
  pointer: Schema.String.annotate({ description: "JSON pointer to the setting in the flowline file" }),
  text: Schema.String,
  ...place
}).annotate({ identifier: "UnmatchedSetting" })

export const TriedComponent = Schema.Struct({
  component: Schema.String,
  type: Schema.String,
  recordsIn: Schema.Int,
  recordsOut: Schema.Int,
  micros: Schema.optionalKey(
    Schema.Int.annotate({ description: "Time in the node in microseconds; absent at outputs, which take records only" })
  ),
  /** Each with the reason and, of grok and dissect, how far the pattern matched. */
  rejected: Schema.optionalKey(TriedRecords),
  lost: Schema.optionalKey(
    Schema.Struct({ count: Schema.Int, reasons: Schema.Array(Schema.String) }).annotate({
      description: "Failures without a record that says so"
    })
  ),
  /** Records that came in and of which nothing went out. */
  dropped: Schema.optionalKey(TriedRecords),
  unmatched: Schema.optionalKey(
    Schema.Array(UnmatchedSetting).annotate({ description: "Patterns of a list that matched no record" })
  ),
  more: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "True when the input has more records than the first ones that were read" })
  )
}).annotate({ identifier: "TriedComponent" })
export type TriedComponent = typeof TriedComponent.Type

const UnreferencedField = Schema.Struct({
  component: Schema.String.annotate({ description: "The node that adds the field" }),
  field: Schema.String
}).annotate({ identifier: "UnreferencedField" })

const TestDifference = Schema.Struct({
  pointer: Schema.String.annotate({ description: "JSON pointer to what the flowline file expects" }),
  ...place,
  detail: Schema.String,
  expected: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "Absent when nothing is expected, or when its JSON has more than 10 000 characters"
    })
  ),
  found: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "Absent when nothing is there, or when its JSON has more than 10 000 characters"
    })
  )
}).annotate({ identifier: "TestDifference" })

export const TestResult = Schema.Struct({
  name: Schema.String,
  passed: Schema.Boolean,
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why the run of the test failed" })),
  differences: Schema.Array(TestDifference)
}).annotate({ identifier: "TestResult" })
export type TestResult = typeof TestResult.Type

export const TryAnswer = Schema.Struct({
  outcome: Schema.Literals(["succeeded", "failed"]),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why the run failed" })),
  component: Schema.optionalKey(Schema.String.annotate({ description: "The node that failed" })),
  millis: Schema.Int.annotate({ description: "Time of the run in milliseconds, without the start of its process" }),
  nodes: Schema.Array(TriedComponent),
  edges: Schema.Array(TriedEdge),
  unreferenced: Schema.Array(UnreferencedField).annotate({
    description: "Fields that a node adds and that no later node or output uses"
  }),
  printed: Schema.Array(Schema.Struct({ component: Schema.String, text: Schema.String })),
  warnings: Schema.Array(Schema.String),
  tests: Schema.optionalKey(
    Schema.Array(TestResult).annotate({ description: "The tests of the flowline, if it has any" })
  )
}).annotate({ identifier: "TryAnswer" })
export type TryAnswer = typeof TryAnswer.Type
