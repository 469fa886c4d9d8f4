import { Schema } from "effect"
import { formatOf } from "./formats/Encoder.ts"
import { writer, writerSettings } from "./formats/Writer.ts"
import { node, runtimes } from "./Node.ts"
import { extensionOf, relativePath } from "./Paths.ts"

export const fileOutput = node({
  type: "file_output",
  kind: "output",
  description:
    "Writes the records to a file in the tenant's data area. The file appears under its name when the run has written " +
    "all of it and replaces an earlier one.",
  runtimes,
  settings: Schema.Struct({
    path: relativePath("Path below the tenant's data area, for example `out/access.csv`."),
    ...writerSettings
  }),
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { path: "out/access.csv", columns: ["clientip", "response", "bytes"] },
  start: ({ path, format, columns }, context) =>
    writer(() => context.file(path), format ?? formatOf(extensionOf(path)) ?? "ndjson", columns)
})
