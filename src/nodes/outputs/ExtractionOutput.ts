import { Schema } from "effect"
import { isFormat } from "../../languages/query/DateMath.ts"
import type { RowEncoding } from "../../languages/query/IndexedDocument.ts"
import { type Encoder, encoder } from "../formats/Encoder.ts"
import { checkSearch, patternSetting, querySetting } from "../inputs/SearchInput.ts"
import { type Batch, node } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { csvOf, dates, isDate } from "./extraction/CsvCell.ts"
import { CsvLines } from "./extraction/CsvLines.ts"
import { Table } from "./extraction/CsvTable.ts"

/** Number of characters that are encoded, hashed and written at once, because each step has a fixed cost. */
const written = 256 * 1024
const encoding = new TextEncoder()

const timestamp = (): string => new Date().toISOString()

// What JSON Schema can tell of the checks below: each pattern accepts at least what the check accepts.
const zonePattern = /^(?:[+-]\d\d(?::?\d\d)?|[A-Za-z][A-Za-z0-9_+/-]*)$/u
const token = "yyyy|uuuu|MM|dd|HH|mm|ss|S{1,9}|XXX|[^A-Za-z']"
const formatPattern = new RegExp(
  `^(?:strict_date_optional_time(?:_nanos)?|date_optional_time|iso8601|epoch_millis|epoch_second|(?=[^]*(?:yyyy|uuuu))(?:'[^']*'|${token})*(?:'(?:${token})*)?)$`,
  "u"
)

const field = Schema.Struct({
  name: Schema.NonEmptyString.check(Schema.isMaxLength(512)).annotate({ description: "Dotted path of a field." }),
  type: Schema.optionalKey(
    Schema.String.annotate({ description: "`date` formats the value as a date in `time_zone`." })
  ),
  format: Schema.optionalKey(
    Schema.String.annotate({
      description: "Date format in csv, such as `dd/MM/yyyy HH:mm` or `epoch_millis`; ISO 8601 by default."
    }).check(
      Schema.makeFilter(isFormat, {
        expected: "a date format",
        toJsonSchema: () => [{ pattern: formatPattern.source }, true]
      })
    )
  )
})

const settings = Schema.Struct({
  format: Schema.Literals(["csv", "json"]).annotate({
    description: "`csv` (RFC 4180 with a header row, in `data.csv`) or `json` (one object per line, in `data.ndjson`)."
  }),
  fields: Schema.optionalKey(
    Schema.Array(field)
      .check(Schema.isMaxLength(500))
      .annotate({
        description:
          "Columns, in order: the `fields` of the `search_input`, which must read them with `values: text` for csv. " +
          "Default: whole documents, read with `values: exact`; the csv columns are then those of the first 1000 documents."
      })
  ),
  time_zone: Schema.String.check(
    Schema.makeFilter((zone: string) => dates(zone) !== undefined, {
      expected: "a time zone",
      toJsonSchema: () => [{ pattern: zonePattern.source }, true]
    })
  ).pipe(withDefault("UTC", "Time zone of dates in csv, such as `Europe/Paris`.")),
  index: patternSetting,
  query: querySetting
})

type Settings = typeof settings.Type

/** For each column, how its values are converted, or undefined when they are not. */
const shownOf = ({ fields = [], time_zone }: Settings) =>
  fields.map(({ type, format }) => (isDate(type) ? dates(time_zone, format) : undefined))

/** How the output encodes csv rows of texts with these settings; undefined for other formats. */
const rowEncoding = (given: Settings): RowEncoding | undefined => {
  const { format, fields = [] } = given
  if (format !== "csv" || fields.length === 0) return undefined
  return { fields: fields.map(({ name }) => name), encoder: () => new CsvLines(shownOf(given)) }
}

interface Rows extends Encoder {
  /** Fields without a column. */
  readonly leftOut?: ReadonlyArray<string>
}

const encoderOf = (given: Settings): Rows => {
  const { format, fields = [] } = given
  if (format === "json") return encoder("ndjson")
  if (fields.length === 0) return new Table()
  const { header, rows } = csvOf(
    fields.map(({ name }) => name),
    shownOf(given)
  )
  let begun = false
  const start = (): string => {
    const text = begun ? "" : header
    begun = true
    return text
  }
  return { encode: (batch: Batch) => start() + rows(batch), end: start }
}

export const extractionOutput = node({
  type: "extraction_output",
  kind: "output",
  description:
    "Writes the documents of a `search_input` to `data.csv` or `data.ndjson` in the execution's archive, and their " +
    "description to `manifest.json`. The extraction endpoint generates flowlines of these two nodes.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 1 },
  outputs: [],
  example: {
    format: "csv",
    fields: [{ name: "@timestamp", type: "date" }, { name: "user" }],
    index: "mytenant-access-*"
  },
  needs: ["search"],
  check: checkSearch,
  rowEncoding,
  fields: ({ fields = [] }) => ({
    isWhole: fields.length === 0,
    reads: fields.map(({ name }, at) => ({ name, path: ["fields", at, "name"] }))
  }),
  start: async (given, context) => {
    const { documents, sha256 } = context
    if (documents === undefined || sha256 === undefined) throw new Error("This gateway has no search")
    const startedAt = timestamp()
    const indices = await documents.indices(given.index)
    const hash = sha256()
    const data = await context.archiveEntry(given.format === "csv" ? "data.csv" : "data.ndjson")
    const encode = encoderOf(given)
    let rows = 0
    let waiting = ""
    const writeBytes = async (bytes: Uint8Array): Promise<void> => {
      hash.update(bytes)
      await data.write(bytes)
    }
    const flush = async (): Promise<void> => {
      if (waiting === "") return
      const bytes = encoding.encode(waiting)
      waiting = ""
      await writeBytes(bytes)
    }
    const write = (text: string): void | Promise<void> => {
      waiting += text
      if (waiting.length >= written) return flush()
    }
    return {
      process: async (batch) => {
        context.spend?.("extractionRows", batch.length)
        rows += batch.length
        await write(encode.encode(batch))
      },
      write: async (text, records) => {
        context.spend?.("extractionRows", records)
        rows += records
        // Writes what precedes all rows.
        await write(encode.encode([]))
        await flush()
        await writeBytes(text)
      },
      end: async () => {
        await write(encode.end())
        await flush()
        await data.close()
        const { format, fields = null, query, time_zone } = given
        const told = { rows, sha256: hash.hex(), format, fields, query, indices, startedAt, endedAt: timestamp() }
        const { leftOut = [] } = encode
        const manifest = await context.archiveEntry("manifest.json")
        await manifest.write(
          `${JSON.stringify({ ...told, timeZone: time_zone, ...(leftOut.length > 0 ? { leftOut } : {}) }, null, 2)}\n`
        )
        await manifest.close()
      }
    }
  }
})
