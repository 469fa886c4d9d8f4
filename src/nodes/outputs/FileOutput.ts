import { Effect, Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import type { Target } from "../Capabilities.ts"
import { named } from "../FieldUse.ts"
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
      "Not in analytics, for `ndjson` and `lines`. One run at a time appends to a file. A repeated attempt first removes " +
      "what it will write again, and an incomplete last line.",
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
    ...(append && context.runtime === "analytics"
      ? [{ path: ["append"], detail: "Analytics flowlines write whole files; append in a stream flowline" }]
      : []),
    ...parquetFaults("path", path, format, context)
  ],
  target: targetOf,
  appends: ({ path, append }) => (append ? path : undefined),
  analytics: (given) => ({
    kind: "write",
    target: targetOf(given),
    format: analyticsFormat(given.format, given.path),
    columns: given.columns
  }),
  text: (settings) => batchText(formatIn(settings), settings.columns),
  fields: ({ columns }) => ({ reads: named(columns, ["columns"]), isWhole: columns === undefined }),
  start: (settings, context) =>
    writer(() => context.file(settings.path, settings.append), formatIn(settings), settings.columns)
})
