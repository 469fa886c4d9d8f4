import { Schema } from "effect"
import type { Batch, Instance, Sink } from "../Node.ts"
import { encoder, type OutputFormat, outputFormats } from "./Encoder.ts"

/** Settings of every node that writes a file. */
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
        "Columns of a csv file; nested fields by dotted path. Default: the fields of the first 1000 records, in order " +
        "of appearance."
    })
  )
}

export const parquetElsewhere = "Only analytics flowlines write Parquet"

/** Writes the records to a file that is opened when the first ones come, or at the end when none came. */
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
    write: async (text) => {
      // What stands before all records.
      await process([])
      await sink?.write(text)
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
