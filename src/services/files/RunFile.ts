import { Schema } from "effect"

/** A file that a run has written. */
export const RunFile = Schema.Struct({
  path: Schema.String.annotate({ description: "Path below the root" }),
  size: Schema.Int.annotate({ description: "Bytes" }),
  modifiedAt: Schema.String.annotate({ description: "When it was last written: ISO 8601, UTC, with milliseconds" })
}).annotate({ identifier: "RunFile" })
export type RunFile = typeof RunFile.Type

/** A folder that nodes of flowlines can name. */
export const RootEntry = Schema.Struct({
  name: Schema.String.annotate({ description: "What `root` of a node names" }),
  writable: Schema.Boolean.annotate({ description: "Whether runs may write there; then its files are served" })
}).annotate({ identifier: "Root" })
export type RootEntry = typeof RootEntry.Type
