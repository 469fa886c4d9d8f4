import { Effect, Schema } from "effect"

/** Maximum number of tests of a flowline, of what a test expects, and of records in either. */
export const maxTests = 100
const maxExpected = 100
/** Maximum number of different sets of parameters in the tests of a flowline: each takes a run. */
export const maxParameterSets = 8
const maxRecords = 1000

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(128))
const Record = Schema.Record(Schema.String, Schema.Unknown)

/** A line as the input reads it, or a record as it emits it. */
const GivenRecord = Schema.Union([Schema.String, Record])

/** What is expected of a node: records of a stream that it publishes or, at an output, that it receives. */
export const Expectation = Schema.Struct({
  /** Component of the node. */
  at: Name,
  /** One of the streams that the node publishes; needed only when it publishes several. */
  stream: Schema.optionalKey(Name),
  /** `partial`: the records may have more members than are named. `exact`: they may not. */
  match: Schema.Literals(["partial", "exact"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("partial" as const))),
  records: Schema.optionalKey(Schema.Array(Record).check(Schema.isMaxLength(maxRecords))),
  /** The records that the node rejects, with the reason in `error`. */
  rejected: Schema.optionalKey(Schema.Array(Record).check(Schema.isMaxLength(maxRecords))),
  /** The number of records, where their content does not matter. */
  count: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))
}).annotate({ identifier: "Expectation" })
export type Expectation = typeof Expectation.Type

/** A test of a flowline: what its inputs are given, and what is expected at its nodes. */
export const FlowlineTest = Schema.Struct({
  name: Name,
  /** Values of the flowline's parameters; those that are not named have their defaults. */
  parameters: Schema.optionalKey(Record),
  /** By the component of an input. An input that is not named gives no record. */
  given: Schema.Record(Schema.String, Schema.Array(GivenRecord).check(Schema.isMaxLength(maxRecords))),
  expect: Schema.NonEmptyArray(Expectation).check(Schema.isMaxLength(maxExpected))
}).annotate({ identifier: "FlowlineTest" })
export type FlowlineTest = typeof FlowlineTest.Type
