import { parse } from "csv-parse/sync"
import { Effect, Schema } from "effect"
import { type Fields, refusedSegment, type Value } from "../../languages/FieldPath.ts"
import { chosen, errors, node } from "../Node.ts"
import { quotedCells } from "./csv/QuotedCells.ts"
import { decorationFaults, decorationSettings } from "./Decorated.ts"
import { parsedSettings, parsing, targetFaults, Unreadable } from "./Parsed.ts"

const types = ["string", "integer", "float", "boolean"] as const

const settings = Schema.Struct({
  ...parsedSettings,
  columns: Schema.NonEmptyArray(Schema.String.check(Schema.isNonEmpty())).annotate({
    description: "Column names, in order."
  }),
  separator: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(8))
    .annotate({ description: "Separator of values.", default: "," })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(","))),
  quote: Schema.String.check(Schema.isMaxLength(1))
    .annotate({ description: "Quote character of values; empty for none.", default: '"' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('"'))),
  types: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Literals(types)).annotate({
      description: "Column types: `string` (the default), `integer`, `float` or `boolean`."
    })
  ),
  skip_empty_columns: Schema.Boolean.annotate({ description: "Add no field for an empty value.", default: false }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false))
  ),
  ...decorationSettings
})

/** Converts a cell; integers beyond 2^53 stay text. */
const converted = (text: string, type: (typeof types)[number] | undefined, column: string): Value => {
  if (type === undefined || type === "string") return text
  const trimmed = text.trim()
  if (trimmed === "") return null
  if (type === "boolean") {
    if (/^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === "true"
  } else if (type === "integer" ? /^[+-]?\d+$/.test(trimmed) : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) {
    const value = Number(trimmed)
    if (type === "integer" && !Number.isSafeInteger(value)) return trimmed.replace(/^\+/, "")
    if (Number.isFinite(value)) return value
  }
  throw new Unreadable(`the column ${column} is not of type ${type}: ${trimmed.slice(0, 40)}`)
}

export const csv = node({
  type: "csv",
  kind: "processing",
  description:
    "Parses one csv record (RFC 4180) in a text field into named columns. A record with more or fewer values than " +
    "columns fails. For csv files, use `file_input`.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", columns: ["time", "user", "bytes"], types: { bytes: "integer" } },
  check: ({ columns, target, types = {}, ...settings }) => {
    const faults = columns.flatMap((column, at) => {
      const refused = refusedSegment([column])
      if (refused !== undefined) return [{ path: ["columns", at], detail: `${refused} cannot be a field` }]
      const isTwice = columns.indexOf(column) < at
      return isTwice ? [{ path: ["columns", at], detail: `The column ${column} exists already` }] : []
    })
    const unknown = Object.keys(types).filter((name) => !columns.includes(name))
    return [
      ...targetFaults("target", target),
      ...decorationFaults(settings),
      ...faults,
      ...unknown.map((name) => ({ path: ["types", name], detail: `There is no column ${name}` }))
    ]
  },
  start: (settings, context) => {
    const { columns, separator, quote, types = {}, skip_empty_columns } = settings
    const typeOf = columns.map((column) => (Object.hasOwn(types, column) ? types[column] : undefined))
    const options = {
      delimiter: separator,
      quote: quote === "" ? null : quote,
      escape: quote === "" ? null : quote,
      relax_column_count: true
    }
    const isPlain = (text: string) => (quote === "" || !text.includes(quote)) && !/[\r\n]/.test(text)
    const valuesOf = (text: string): ReadonlyArray<string> => {
      // The csv parser has a high cost per call.
      if (isPlain(text)) return text.split(separator)
      const cells = quotedCells(text, separator, quote)
      if (cells !== undefined) return cells
      try {
        const records = parse(text, options)
        if (records.length === 1) return records[0]!
      } catch (error) {
        throw new Unreadable(`not valid csv: ${error instanceof Error ? error.message : "unknown error"}`)
      }
      throw new Unreadable("the field holds more than one csv record")
    }
    return parsing(settings, context, (text) => {
      const values = valuesOf(text)
      if (values.length !== columns.length) {
        throw new Unreadable(`the record has ${values.length} values for ${columns.length} columns`)
      }
      const fields: Fields = {}
      for (let at = 0; at < columns.length; at++) {
        const column = columns[at]!
        const value = values[at]!
        if (value !== "" || !skip_empty_columns) fields[column] = converted(value, typeOf[at], column)
      }
      return fields
    })
  }
})
