import { Schema } from "effect"
import { runtimes } from "../../protocol/Runtime.ts"

const Runtime = Schema.Literals(runtimes).annotate({ identifier: "Runtime" })

/**
 * The description of a node. A usable node has all members but `error`; an unusable one has `type` (its path) and
 * `error`.
 */
export const NodeDescriptor = Schema.Struct({
  type: Schema.String.annotate({
    description: "Type name in a flowline, or the path of a file that cannot be scanned"
  }),
  kind: Schema.optionalKey(Schema.Literals(["input", "processing", "output"])),
  description: Schema.optionalKey(Schema.String.annotate({ description: "Markdown" })),
  runtimes: Schema.Array(Runtime),
  settings: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "JSON Schema (2020-12) of the settings" })
  ),
  inputs: Schema.optionalKey(
    Schema.Struct({ min: Schema.Int, max: Schema.Int }).annotate({
      description: "Minimum and maximum number of subscriptions"
    })
  ),
  outputs: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Streams that the node can publish; `*` stands for names that the flowline chooses"
    })
  ),
  source: Schema.String.annotate({ description: "`builtin`, or the origin of the node" }),
  example: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Settings" })),
  error: Schema.optionalKey(
    Schema.Struct({ message: Schema.String, line: Schema.optionalKey(Schema.Int) }).annotate({
      description: "Why the node cannot be used"
    })
  )
}).annotate({ identifier: "NodeDescriptor" })
export type NodeDescriptor = typeof NodeDescriptor.Type

export const ScanResult = Schema.Struct({
  analytics: Schema.Array(NodeDescriptor),
  pybatch: Schema.Array(NodeDescriptor),
  stream: Schema.Array(NodeDescriptor)
}).annotate({ identifier: "ScanResult" })
export type ScanResult = typeof ScanResult.Type
