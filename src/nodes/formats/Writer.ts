import { Schema } from "effect"
import type { FileFormat } from "../Capabilities.ts"
import type { Batch, CheckContext, Instance, SettingsIssue } from "../Node.ts"
import type { Sink } from "../ports/NodeFiles.ts"
import { extensionOf } from "../settings/Paths.ts"
import { encoder, formatOf, type OutputFormat, outputFormats } from "./Encoder.ts"

/** The settings of nodes that write a file. */
export const writerSettings = {
  format: Schema.optionalKey(
    Schema.Literals([...outputFormats, "parquet"]).annotate({
      description:
        "`ndjson` (one JSON object per line), `csv` (RFC 4180 with a header row), `lines` (the field `message`; " +
        "the whole record as JSON if that is missing) or, in analytics, `parquet`. Default: by extension, else `ndjson`."
    })
  ),
  columns: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.String).annotate({
      description:
        "Columns of a csv file, such as `a`, `a.b` or `list.0`. Default: the fields of the first 1000 records, in order " +
        "of appearance."
    })
  )
}

const parquetElsewhere = "Only analytics flowlines write Parquet"

/** The fault of a stream flowline that would write Parquet. `setting` is the one that names the file. */
export const parquetFaults = (
  setting: string,
  name: string | undefined,
  format: FileFormat | undefined,
  { runtime }: CheckContext
): ReadonlyArray<SettingsIssue> => {
  if (runtime === undefined || runtime === "analytics") return []
  if (format === "parquet") return [{ path: ["format"], detail: parquetElsewhere }]
  if (format !== undefined || name === undefined || extensionOf(name) !== "parquet") return []
  return [{ path: [setting], detail: `${parquetElsewhere}; set format to write something else` }]
}

/** The format in which analytics writes a file of this name. */
export const analyticsFormat = (format: FileFormat | undefined, name: string): FileFormat => {
  const extension = extensionOf(name)
  return format ?? (extension === "parquet" ? "parquet" : (formatOf(extension) ?? "ndjson"))
}

/** Writes the records to a file, which is opened with the first records, or at the end when there were none. */
export const writer = (
  open: () => Promise<Sink>,
  format: OutputFormat | "parquet",
  columns: ReadonlyArray<string> | undefined
): Instance => {
  if (format === "parquet") throw new Error(parquetElsewhere)
  const encode = encoder(format, columns)
  let sink: Sink | undefined
  const process = async (batch: Batch) => {
    const text = encode.encode(batch)
    sink ??= await open()
    if (text !== "") await sink.write(text)
  }
  return {
    process,
    write: async (text, _, lend) => {
      // Writes what precedes all records, such as a header.
      await process([])
      if (sink?.lend === undefined || lend === undefined) await sink?.write(text)
      else await sink.lend(text, lend())
    },
    flush: () => sink?.flush?.(),
    end: async () => {
      sink ??= await open()
      const text = encode.end()
      if (text !== "") await sink.write(text)
      await sink.close()
    }
  }
}
