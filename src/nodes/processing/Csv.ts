import { Schema } from "effect"
import { type Fields, setPath } from "../../languages/FieldPath.ts"
import { extender } from "../../languages/Generated.ts"
import { dotted, parsedFields } from "../FieldUse.ts"
import { chosen, type Event, errors, type NodeContext, node, type SettingsIssue } from "../Node.ts"
import { sourceField } from "../records/Source.ts"
import { decorationSettings } from "../settings/DecorationSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName, textOf, zonePattern } from "../settings/SettingTexts.ts"
import { settingZone } from "../time/Zone.ts"
import { cellsOf } from "./csv/Cells.ts"
import { type Column, columnsOf, extraColumn, headerColumns, rivalOf } from "./csv/Columns.ts"
import { converter, types } from "./csv/Values.ts"
import { DateFormat, zoneFault } from "./Date.ts"
import { dropped, inTheWay, mergeInto, parsedSettings, parsing, Unreadable } from "./ParsingNode.ts"

const flag = (description: string) => Schema.Boolean.pipe(withDefault(false, description))

const ZoneName = textOf((zone) => (settingZone(zone) === undefined ? zoneFault(zone) : undefined), zonePattern)

const settings = Schema.Struct({
  ...parsedSettings,
  columns: Schema.optionalKey(
    Schema.NonEmptyArray(FieldName.check(Schema.isNonEmpty())).annotate({
      description:
        "Column names, in order; `a.b` or `[a][b]` is a nested field. Default: `column1`, `column2` and so on."
    })
  ),
  autodetect_column_names: flag("Take the column names from the first record, which is a header and dropped."),
  autogenerate_column_names: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "What happens to a record with more or fewer values than columns. `true`: a value without a column is named " +
        "`column4` by its place. `false`: it is left out. Default: the record fails."
    })
  ),
  skip_header: flag("Drop records that repeat the column names."),
  skip_empty_rows: flag("Drop records without any value."),
  separator: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(8)).pipe(
    withDefault(",", "Separator of values.")
  ),
  quote: Schema.String.check(Schema.isMaxLength(1)).pipe(
    withDefault('"', "Quote character of values; empty for none.")
  ),
  types: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Literals(types)).annotate({
      description:
        "Column types: `string` (the default), `integer`, `float`, `boolean`, `date` (a day, which becomes its " +
        "midnight) or `date_time`."
    })
  ),
  date_formats: Schema.NonEmptyArray(DateFormat).pipe(
    withDefault(["ISO8601"], "Formats of the types `date` and `date_time`, as in the node `date`.")
  ),
  timezone: ZoneName.pipe(
    withDefault(
      "UTC",
      "Time zone of dates without one: `UTC`, an offset such as `+02:00`, or a name such as `Europe/Paris`."
    )
  ),
  skip_empty_columns: flag("Add no field for an empty value."),
  ...decorationSettings
})
type Settings = typeof settings.Type

const columnFaults = (columns: ReadonlyArray<string>): ReadonlyArray<SettingsIssue> =>
  columns.flatMap((column, at) => {
    const path = ["columns", at]
    const rival = rivalOf(columns, at)
    if (rival === undefined) return []
    if (rival === column) return [{ path, detail: `The column ${column} exists already` }]
    return [{ path, detail: `The fields of the columns ${rival} and ${column} contain each other: rename one` }]
  })

const nameFaults = (settings: Settings): ReadonlyArray<SettingsIssue> => {
  const { columns, types = {}, autodetect_column_names, autogenerate_column_names, skip_header } = settings
  if (autodetect_column_names) {
    const detail = "The names come from the header: remove columns or autodetect_column_names"
    return columns === undefined ? [] : [{ path: ["autodetect_column_names"], detail }]
  }
  const hasAutomatic = columns === undefined || autogenerate_column_names === true
  const unknown = Object.keys(types).filter(
    (name) => columns?.includes(name) !== true && !(hasAutomatic && /^column[1-9]\d*$/.test(name))
  )
  const needsNames = { path: ["skip_header"], detail: "A header is known by columns or autodetect_column_names" }
  return [
    ...unknown.map((name) => ({ path: ["types", name], detail: `There is no column ${name}` })),
    ...(skip_header && columns === undefined ? [needsNames] : [])
  ]
}

/** The header that an earlier attempt found. */
const savedHeader = (context: NodeContext): ReadonlyArray<string> | undefined => {
  const saved = context.position.load()
  return Array.isArray(saved) && saved.every((cell) => typeof cell === "string") ? saved : undefined
}

export const csv = node({
  type: "csv",
  kind: "processing",
  effect: "parses",
  description:
    "Parses one csv record (RFC 4180) in a text field into named columns. A record with more or fewer values than " +
    "columns fails, unless the settings name its values automatically. For csv files, use `file_input`.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  // The records after a header need it.
  isStateless: ({ autodetect_column_names }) => !autodetect_column_names,
  outputs: [chosen, errors],
  example: { field: "message", columns: ["time", "user", "bytes"], types: { bytes: "integer" } },
  check: (settings) => [...columnFaults(settings.columns ?? []), ...nameFaults(settings)],
  fields: (settings) => {
    const { columns, autogenerate_column_names: generates } = settings
    return parsedFields(settings, columns === undefined || generates === true ? undefined : columns.map(dotted))
  },
  start: (settings, context) => {
    const { types = {}, autodetect_column_names: detects, skip_empty_columns, skip_empty_rows, skip_header } = settings
    const cells = cellsOf(settings.separator, settings.quote)
    const convert = converter(settings.date_formats, settings.timezone)
    /** The cells of the header, as they are written. */
    let header = detects ? savedHeader(context) : settings.columns
    let columns: Array<Column> | undefined =
      settings.columns === undefined
        ? header === undefined
          ? undefined
          : headerColumns(header, types)
        : columnsOf(settings.columns, types)
    const hasNames = detects || columns !== undefined
    const { autogenerate_column_names: generates = hasNames ? undefined : true } = settings
    const automatic: Array<Column> = []
    const columnAt = (at: number): Column | undefined => {
      if (columns !== undefined && at < columns.length) return columns[at]
      if (generates !== true) return undefined
      automatic[at] ??= extraColumn(at, types)
      return automatic[at]
    }
    // Records with all of the columns, all of them flat, which is nearly every record, are made in one step.
    const isFlat =
      settings.columns !== undefined &&
      settings.target === undefined &&
      !skip_empty_columns &&
      columns!.every(({ path }) => path.length === 1 && path[0] !== sourceField)
    const extend = isFlat ? extender(columns!.map(({ path }) => path[0]!)) : undefined
    const typed = (columns ?? []).flatMap((column, at) => (column.type === "string" ? [] : [{ ...column, at }]))
    const put = mergeInto(settings.target)
    const parse = (text: string, event: Event) => {
      if (skip_empty_rows && text.trim() === "") return dropped
      const isHeader = detects && columns === undefined
      const values = cells(isHeader ? text.replace(/^\ufeff/, "") : text)
      if (skip_empty_rows && values.every((value) => value === "")) return dropped
      if (isHeader) {
        if (values.every((value) => value.trim() === "")) throw new Unreadable("the header has no names")
        header = values
        columns = headerColumns(values, types)
        return dropped
      }
      if (skip_header && values.length === header?.length && values.every((value, at) => value === header?.[at])) {
        return dropped
      }
      if (generates === undefined && values.length !== columns?.length) {
        return new Unreadable(`the record has ${values.length} values for ${columns?.length ?? 0} columns`)
      }
      if (extend !== undefined && values.length === header?.length) {
        if (typed.length === 0) return extend(event, values)
        const converted: Array<unknown> = [...values]
        for (const { at, type, name } of typed) converted[at] = convert(values[at]!, type, name)
        return extend(event, converted)
      }
      const fields: Fields = {}
      for (let at = 0; at < values.length; at++) {
        const column = columnAt(at)
        if (column === undefined) break
        const value = values[at]!
        if (value === "" && skip_empty_columns) continue
        const converted = column.type === "string" ? value : convert(value, column.type, column.name)
        if (column.path.length === 1) fields[column.path[0]!] = converted
        else setPath(fields, column.path, converted)
      }
      return put(event, fields) ?? new Unreadable(inTheWay(settings.target))
    }
    const instance = parsing(settings, context, parse, { isWhole: true })
    return detects ? { ...instance, position: () => header ?? null } : instance
  }
})
