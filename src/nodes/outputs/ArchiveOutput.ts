import { Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import { batchText, formatOf } from "../formats/Encoder.ts"
import { writer, writerSettings } from "../formats/Writer.ts"
import { node } from "../Node.ts"
import { extensionOf, fileName, relativePath } from "../Paths.ts"

const settings = Schema.Struct({
  entry: Schema.optionalKey(
    relativePath("Name of the entry in the zip, for example `logs/access.csv`. Default: `<component>.<format>`.")
  ),
  ...writerSettings
})

/** The name in the zip that the node writes. */
export const entryOf = (settings: { readonly entry?: string; readonly format?: string }, component: string): string =>
  settings.entry ?? `${fileName(component)}.${settings.format === "lines" ? "log" : (settings.format ?? "ndjson")}`

type Settings = typeof settings.Type

const formatIn = (settings: Settings, component: string) =>
  settings.format ?? formatOf(extensionOf(entryOf(settings, component))) ?? "ndjson"

export const archiveOutput = node({
  type: "archive_output",
  kind: "output",
  description:
    "Writes the records to an entry of the execution's archive, which can be downloaded after the execution has ended.",
  runtimes,
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { entry: "access.ndjson" },
  text: (settings, component) => batchText(formatIn(settings, component), settings.columns),
  start: (settings, context) => {
    const entry = entryOf(settings, context.component)
    return writer(() => context.archiveEntry(entry), formatIn(settings, context.component), settings.columns)
  }
})
