import { Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import type { Target } from "../Capabilities.ts"
import { named } from "../FieldUse.ts"
import { batchText, formatOf } from "../formats/Encoder.ts"
import { analyticsFormat, parquetFaults, writer, writerSettings } from "../formats/Writer.ts"
import { node } from "../Node.ts"
import { extensionOf, fileName, relativePath } from "../settings/Paths.ts"

const settings = Schema.Struct({
  entry: Schema.optionalKey(
    relativePath("Name of the entry in the zip, for example `logs/access.csv`. Default: `<component>.<format>`.")
  ),
  ...writerSettings
})

type Settings = typeof settings.Type

/** The name of the node's entry in the zip. */
const entryOf = ({ entry, format = "ndjson" }: Settings, component: string): string =>
  entry ?? `${fileName(component)}.${format === "lines" ? "log" : format}`

const targetOf = (given: Settings, component: string): Target => ({
  place: "archive",
  name: entryOf(given, component),
  ...(given.entry === undefined ? {} : { setting: "entry" })
})

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
  check: ({ entry, format }, context) => parquetFaults("entry", entry, format, context),
  target: targetOf,
  analytics: (given, component) => ({
    kind: "write",
    target: targetOf(given, component),
    format: analyticsFormat(given.format, entryOf(given, component)),
    columns: given.columns
  }),
  text: (settings, component) => batchText(formatIn(settings, component), settings.columns),
  fields: ({ columns }) => ({ reads: named(columns, ["columns"]), isWhole: columns === undefined }),
  start: (settings, context) => {
    const entry = entryOf(settings, context.component)
    return writer(() => context.archiveEntry(entry), formatIn(settings, context.component), settings.columns)
  }
})
