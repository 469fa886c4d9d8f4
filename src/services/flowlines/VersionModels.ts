import { Schema } from "effect"

const entry = {
  version: Schema.Int,
  "@timestamp": Schema.String.annotate({ description: "Time of the save, ISO 8601 UTC with milliseconds" }),
  platformId: Schema.String,
  current: Schema.Boolean.annotate({ description: "Whether it is the version that runs by default" }),
  original: Schema.Boolean.annotate({
    description:
      "Whether the file is kept as it was sent; versions that were saved before files were kept have a text that is made " +
      "of their definition"
  }),
  size: Schema.Int.annotate({ description: "Bytes of the file, or of the definition, which count for `storedBytes`" }),
  filename: Schema.NullOr(Schema.String).annotate({ description: "Name of the file that was sent" }),
  restored: Schema.NullOr(Schema.Int).annotate({ description: "The version that this one restores" })
}

/** A version in the list of a flowline's versions. */
export const FlowlineVersionEntry = Schema.Struct(entry).annotate({ identifier: "FlowlineVersionEntry" })
export type FlowlineVersionEntry = typeof FlowlineVersionEntry.Type

export const FlowlineVersionRecord = Schema.Struct({
  id: Schema.String,
  ...entry,
  sha256: Schema.String.annotate({ description: "SHA-256 of the definition, as in the audit" }),
  flowline: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Content of the flowline file" }),
  text: Schema.String.annotate({ description: "The file as it was sent, or a text made of the definition" })
}).annotate({ identifier: "FlowlineVersionRecord" })

const Change = Schema.Struct({
  pointer: Schema.String.annotate({
    description: "JSON pointer into the definition of `to`; of `from` for what was removed"
  }),
  change: Schema.Literals(["added", "removed", "changed"]),
  before: Schema.optionalKey(Schema.Unknown),
  after: Schema.optionalKey(Schema.Unknown),
  omitted: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "The values are longer than 1024 characters and left out" })
  )
}).annotate({ identifier: "FlowlineChange" })

const node = { component: Schema.String, type: Schema.String, pointer: Schema.String }
const Node = Schema.Struct(node).annotate({ identifier: "FlowlineNode" })

export const FlowlineComparison = Schema.Struct({
  id: Schema.String,
  from: Schema.Int,
  to: Schema.Int,
  same: Schema.Boolean.annotate({ description: "Whether both do the same: only comments, order or notation differ" }),
  nodes: Schema.Struct({
    added: Schema.Array(Node),
    removed: Schema.Array(Node),
    changed: Schema.Array(Schema.Struct({ ...node, changes: Schema.Array(Change) }))
  }),
  changes: Schema.Array(Change).annotate({ description: "Changes outside of the nodes" }),
  text: Schema.String.annotate({ description: "Unified diff of the texts, as `diff -u` writes it" }),
  original: Schema.Boolean.annotate({
    description: "Whether the texts are files as they were sent; otherwise both are made of the definitions"
  }),
  truncated: Schema.Boolean.annotate({
    description:
      "Whether there are more than 1000 changes, or more than 1 MiB of unified diff, and the rest is left out"
  })
}).annotate({ identifier: "FlowlineComparison" })
export type FlowlineComparison = typeof FlowlineComparison.Type
