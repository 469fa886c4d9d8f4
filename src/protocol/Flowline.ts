import { Effect, Schema } from "effect"
import { DurationText } from "../languages/DurationText.ts"
import { FlowlineTest, maxTests } from "./FlowlineTests.ts"
import { Parameters } from "./Parameters.ts"
import { runtimes } from "./Runtime.ts"

export { type Runtime, runtimes } from "./Runtime.ts"

/** Maximum number of nodes in a flowline, and of subscriptions and of publications of a node. */
export const maxNodes = 1000
export const maxWires = 100

const name = Schema.String.check(
  Schema.isNonEmpty(),
  Schema.isMaxLength(128),
  // Names appear in lists, logs and database rows, some of which cannot hold control characters.
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text), {
    expected: "a name without control characters",
    toJsonSchema: () => [{}, true]
  })
)

const Subscription = Schema.Struct({ component: name, stream: name }).annotate({ identifier: "Subscription" })
const Publication = Schema.Struct({ stream: name }).annotate({ identifier: "Publication" })

/** A node of the DAG. `component` is unique in the flowline and defaults to `type`. */
export const DagNode = Schema.Struct({
  type: name,
  component: Schema.optionalKey(name),
  description: Schema.optionalKey(Schema.String),
  settings: Schema.Record(Schema.String, Schema.Unknown).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  subscribe: Schema.Array(Subscription)
    .check(Schema.isMaxLength(maxWires))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  publish: Schema.Array(Publication)
    .check(Schema.isMaxLength(maxWires))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
}).annotate({ identifier: "DagNode" })
export type DagNode = typeof DagNode.Type

/** The component of a node: its name in the flowline. */
export const componentOf = (node: { readonly type: string; readonly component?: string }): string =>
  node.component ?? node.type

/** How often a failed run of a batch flowline is repeated. The pause doubles from `initial` up to `max`. */
const Retry = Schema.Struct({
  attempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 })),
  initial: DurationText.pipe(Schema.withDecodingDefaultKey(Effect.succeed("1s"))),
  max: DurationText.pipe(Schema.withDecodingDefaultKey(Effect.succeed("60s")))
}).annotate({ identifier: "Retry" })

/** MiB that a run needs at least. */
export const leastMemory = 64

/** Runtime settings of a flowline. Sizes are in MiB, times in seconds. */
export const RunSettings = Schema.Struct({
  memory_mib: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: leastMemory, maximum: 65_536 }))),
  timeout_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 31_536_000 }))),
  parallelism: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  threads: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  resources: Schema.optionalKey(Schema.Array(Schema.String)),
  failWhen: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(1000))).check(Schema.isMaxLength(20))
  ),
  retry: Schema.optionalKey(Retry)
}).annotate({ identifier: "RunSettings" })

/** A flowline file after decoding. */
export const Flowline = Schema.Struct({
  version: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number])),
  type: Schema.optionalKey(Schema.Literal("flowline")),
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  runtime: Schema.Literals(runtimes),
  settings: RunSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  parameters: Schema.optionalKey(Parameters),
  dag: Schema.NonEmptyArray(DagNode).check(Schema.isMaxLength(maxNodes)),
  tests: Schema.optionalKey(Schema.Array(FlowlineTest).check(Schema.isMaxLength(maxTests)))
}).annotate({ identifier: "Flowline" })
export type Flowline = typeof Flowline.Type
