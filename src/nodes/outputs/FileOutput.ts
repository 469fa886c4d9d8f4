import { Schema } from "effect"
import { type Runtime, runtimes } from "../../protocol/Flowline.ts"
import { fileKey, ownRoots } from "../../protocol/Roots.ts"
import type { Target } from "../Capabilities.ts"
import { named } from "../FieldUse.ts"
import { batchText, formatOf } from "../formats/Encoder.ts"
import { analyticsFormat, parquetFaults, writer, writerSettings } from "../formats/Writer.ts"
import { node } from "../Node.ts"
import { compressionOf, extensionOf } from "../settings/Paths.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { filePath, isObjectUrl, storageFaults, storageOf, storageSettings } from "../settings/StorageSettings.ts"

const settings = Schema.Struct({
  path: filePath(
    "Path below the tenant's data area, or below `root`, for example `out/access.csv`; or `s3://bucket/key`. A file whose " +
      "name ends in `.gz` or `.zst` is compressed."
  ),
  ...storageSettings,
  ...writerSettings,
  append: Schema.Boolean.pipe(
    withDefault(
      false,
      "Append to the file, where each record is visible at once; for runs that do not end by themselves. " +
        "Not in analytics, for `ndjson` and `lines`. One run at a time appends to a file. A repeated attempt first removes " +
        "what it will write again, and an incomplete last line."
    )
  )
})
type Settings = typeof settings.Type

const formatIn = ({ path, format }: Settings) => format ?? formatOf(extensionOf(path)) ?? "ndjson"

const targetOf = (given: Settings): Target => ({
  place: "data",
  storage: storageOf(given),
  name: given.path,
  setting: "path"
})

/** Why the file cannot be appended to. */
const appendFault = ({ path, format }: Settings, runtime: Runtime | undefined): string | undefined => {
  if (isObjectUrl(path)) return "Objects of an S3 storage cannot be appended to; they are written as a whole"
  if (compressionOf(path) !== undefined) return "A compressed file cannot be appended to"
  if ((format ?? formatOf(extensionOf(path))) === "csv") {
    return "A csv file cannot be appended to, because its first row names its columns"
  }
  return runtime === "analytics" ? "Analytics flowlines write whole files; append in a stream flowline" : undefined
}

export const fileOutput = node({
  type: "file_output",
  kind: "output",
  description:
    "Writes the records to a file in the tenant's data area, in a root or in an S3 storage. A file appears under its " +
    "name when it is complete, an object when the run has succeeded, and replaces an earlier one; with `append` a file " +
    "grows in place.",
  runtimes,
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { path: "out/access.csv", columns: ["clientip", "response", "bytes"] },
  check: (given, context) => {
    const { path, format, append } = given
    const fault = append ? appendFault(given, context.runtime) : undefined
    const conf = { path: ["root"], detail: "Runs do not write in the tenant's configuration folder; use data" }
    return [
      ...(fault === undefined ? [] : [{ path: ["append"], detail: fault }]),
      ...(given.root === ownRoots.conf ? [conf] : []),
      ...storageFaults(given, context),
      ...parquetFaults("path", path, format, context)
    ]
  },
  secrets: ["s3"],
  roots: ({ root }) => (root === undefined ? undefined : { name: root, writes: true }),
  target: targetOf,
  appends: ({ path, root, append }) => (append ? fileKey(root, path) : undefined),
  analytics: (given) => ({
    kind: "write",
    target: targetOf(given),
    format: analyticsFormat(given.format, given.path),
    columns: given.columns
  }),
  text: (settings) => batchText(formatIn(settings), settings.columns),
  fields: ({ columns }) => ({ reads: named(columns, ["columns"]), isWhole: columns === undefined }),
  start: (settings, context) =>
    writer(
      () => context.file(settings.path, settings.append, storageOf(settings)),
      formatIn(settings),
      settings.columns
    )
})
