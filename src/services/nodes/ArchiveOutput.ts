import { Schema } from "effect"
import { formatOf } from "./formats/Encoder.ts"
import { writer, writerSettings } from "./formats/Writer.ts"
import { node, runtimes } from "./Node.ts"
import { extensionOf, fileName, relativePath } from "./Paths.ts"

const settings = Schema.Struct({
  entry: Schema.optionalKey(
    relativePath("Name of the entry in the zip, for example `logs/access.csv`. Default: `<component>.<format>`.")
  ),
  ...writerSettings
})

/** The name in the zip that the node writes. */
export const entryOf = (settings: { readonly entry?: string; readonly format?: string }, component: string): string =>
  settings.entry ?? `${fileName(component)}.${settings.format === "lines" ? "log" : (settings.format ?? "ndjson")}`

export const archiveOutput = node({
  type: "archive_output",
  kind: "output",
  description:
    "Writes the records to an entry of the execution's archive, which can be downloaded when the execution has ended.",
  runtimes,
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { entry: "access.ndjson" },
  start: (settings, context) => {
    const entry = entryOf(settings, context.component)
    const format = settings.format ?? formatOf(extensionOf(entry)) ?? "ndjson"
    return writer(() => context.archiveEntry(entry), format, settings.columns)
  }
})
