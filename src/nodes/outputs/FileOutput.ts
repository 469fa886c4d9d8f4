import { Effect, Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import type { Target } from "../Capabilities.ts"
import { batchText, formatOf } from "../formats/Encoder.ts"
import { analyticsFormat, parquetFaults, writer, writerSettings } from "../formats/Writer.ts"
import { node } from "../Node.ts"
import { extensionOf, relativePath } from "../Paths.ts"

const settings = Schema.Struct({
  path: relativePath("Path below the tenant's data area, for example `out/access.csv`."),
  ...writerSettings,
  append: Schema.Boolean.annotate({
    description:
      "Append to the file, where each record is visible at once; for runs that do not end by themselves. " +
      "In stream, for `ndjson` and `lines`. An incomplete last line of the file is removed.",
    default: false
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})
type Settings = typeof settings.Type

const formatIn = ({ path, format }: Settings) => format ?? formatOf(extensionOf(path)) ?? "ndjson"

const targetOf = ({ path }: Settings): Target => ({ place: "data", name: path, setting: "path" })

export const fileOutput = node({
  type: "file_output",
  kind: "output",
  description:
    "Writes the records to a file in the tenant's data area. The file appears under its name when it is complete, " +
    "and replaces an earlier one; with `append` it grows in place.",
  runtimes,
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { path: "out/access.csv", columns: ["clientip", "response", "bytes"] },
  check: ({ path, format, append }, context) => [
    ...(append && (format ?? formatOf(extensionOf(path))) === "csv"
      ? [{ path: ["append"], detail: "A csv file cannot be appended to, because its first row names its columns" }]
      : []),
    ...parquetFaults("path", path, format, context)
  ],
  target: targetOf,
  analytics: (given) => ({
    kind: "write",
    target: targetOf(given),
    format: analyticsFormat(given.format, given.path),
    columns: given.columns
  }),
  text: (settings) => batchText(formatIn(settings), settings.columns),
  start: (settings, context) =>
    writer(() => context.file(settings.path, settings.append), formatIn(settings), settings.columns)
})
