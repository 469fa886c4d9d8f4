import { Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import { table } from "../formats/TextTable.ts"
import { type Event, type Instance, type NodeContext, node } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

const formats = ["json", "table"] as const

const overLimit = (limit: number): string => `(the limit of ${limit} records is reached: the others are not shown)`

const cell = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === "string" ? value : JSON.stringify(value)

const lineOf = (event: Event): string => JSON.stringify(event)

/** Prints at the end, when the columns and their widths are known. */
const asTable = (limit: number, context: NodeContext): Instance => {
  const shown: Array<Event> = []
  let more = false
  return {
    process: (batch) => {
      more ||= shown.length + batch.length > limit
      shown.push(...batch.slice(0, limit - shown.length))
    },
    end: async () => {
      const columns = [...new Set(shown.flatMap((event) => Object.keys(event)))]
      const numeric = columns.map((name) => shown.every((event) => typeof (event[name] ?? 0) === "number"))
      const rows = shown.map((event) => columns.map((name) => (Object.hasOwn(event, name) ? cell(event[name]) : null)))
      const lines = columns.length === 0 ? [] : [...table(columns, numeric, rows)]
      if (more) lines.push(overLimit(limit))
      if (lines.length > 0) await context.print(lines)
    }
  }
}

export const show = node({
  type: "show",
  kind: "output",
  description: "Prints the records to the execution's output, one JSON line each, or as a table.",
  runtimes,
  settings: Schema.Struct({
    limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).pipe(
      withDefault(1000, "Maximum number of records to print; a last line tells if there were more.")
    ),
    format: Schema.optionalKey(
      Schema.Literals(formats).annotate({
        description:
          "`json` (one line per record) or `table` (text with a header; long values are truncated). Default: `table` in " +
          "analytics, else `json`."
      })
    )
  }),
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { limit: 20 },
  analytics: ({ limit, format }) => ({ kind: "print", limit, asTable: format !== "json" }),
  text: ({ format }) => (format === "table" ? undefined : (batch) => batch.map(lineOf).join("\n")),
  start: ({ limit, format }, context) => {
    if (format === "table") return asTable(limit, context)
    let shown = 0
    let told = false
    const print = async (records: number, first: (count: number) => Array<string>) => {
      if (told) return
      const lines = first(limit - shown)
      shown += lines.length
      if (lines.length < records) {
        told = true
        lines.push(overLimit(limit))
      }
      if (lines.length > 0) await context.print(lines)
    }
    return {
      process: (batch) => print(batch.length, (count) => batch.slice(0, count).map(lineOf)),
      write: (text, records) => print(records, (count) => new TextDecoder().decode(text).split("\n", count))
    }
  }
})
