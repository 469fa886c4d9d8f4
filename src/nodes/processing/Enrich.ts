import { Schema } from "effect"
import { durationMillis, PositiveDuration } from "../../languages/DurationText.ts"
import { type Fields, fieldPath, getPath } from "../../languages/FieldPath.ts"
import { dotted, named, withFields } from "../FieldUse.ts"
import { fileInput } from "../inputs/FileInput.ts"
import { formats } from "../inputs/files/Format.ts"
import { checkSearch, patternSetting } from "../inputs/SearchInput.ts"
import { type Batch, chosen, type Event, errors, type NodeContext, node, type SettingsIssue } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { filesOf, referencesOf, rootOf } from "../settings/StorageSettings.ts"
import { IndexRows } from "./lookup/IndexRows.ts"
import { ReloadedFiles } from "./lookup/ReloadedFiles.ts"
import { loadTable, sourceOf } from "./lookup/Table.ts"
import { lookedUp, missingSetting, reloadSetting, sourceFields, targetSetting } from "./lookup/TableSource.ts"
import { inTheWay, mergeInto } from "./ParsingNode.ts"

const settings = Schema.Struct({
  field: lookedUp,
  key: Schema.String.check(Schema.isNonEmpty()).annotate({
    description: "Column of the table, or field of the index, that contains the value."
  }),
  ...sourceFields,
  index: Schema.optionalKey(
    patternSetting.annotate({
      description:
        "An index of the tenant's in place of a table, `<tenant>-…`. Its documents are looked up when they are needed."
    })
  ),
  format: Schema.optionalKey(
    Schema.Literals(formats).annotate({
      description: "Format of the table, as in `file_input`. Default: by extension."
    })
  ),
  columns: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.String).annotate({ description: "Columns to add. Default: all but the key." })
  ),
  target: targetSetting,
  on_missing: missingSetting("What to do with a record without a row in the table."),
  match: Schema.Literals(["equal", "network"]).pipe(
    withDefault(
      "equal",
      "`equal`: the value is the key. `network`: the key is a network such as `10.0.0.0/8` or `2001:db8::/32`, and the " +
        "value an address in it; the smallest network counts."
    )
  ),
  case_insensitive: Schema.Boolean.pipe(withDefault(false, "Ignore case in comparisons.")),
  reload: reloadSetting,
  cache_bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_073_741_824 })).pipe(
    withDefault(16_777_216, "Memory for rows of an `index`, in bytes.")
  ),
  cache_time: PositiveDuration.pipe(withDefault("1m", "How long rows of an `index` are kept in memory."))
})
type Settings = typeof settings.Type

const checkIndex = (index: string, given: Settings): ReadonlyArray<SettingsIssue> => {
  const issues: Array<SettingsIssue> = []
  for (const name of ["path", "registry", "resource"] as const) {
    if (given[name] !== undefined) {
      issues.push({ path: [name], detail: "Only one of path, registry, resource and index can be given" })
    }
  }
  if (given.match === "network") issues.push({ path: ["match"], detail: "Networks are looked up in tables only" })
  if (given.case_insensitive) {
    issues.push({ path: ["case_insensitive"], detail: "The values of an index are looked up as they are" })
  }
  return index === "" ? [] : issues
}

type Find = (values: ReadonlyArray<string | undefined>) => Promise<(value: string) => Fields | undefined>

/** What looks values up in the index or in the table. */
const finder = async (
  given: Settings,
  context: NodeContext,
  keyOf: (value: unknown) => string | undefined
): Promise<Find> => {
  const { index, key, columns } = given
  if (index === undefined) {
    const table = await ReloadedFiles.of(context, filesOf(given, context), given.path, given.reload, () =>
      loadTable(given, context, keyOf)
    )
    return async () => table.value.find
  }
  const cached = { cacheBytes: given.cache_bytes, cacheMillis: durationMillis(given.cache_time) }
  const rows = await IndexRows.of({ index, key, ...cached, ...(columns === undefined ? {} : { columns }) }, context)
  return async (values) => {
    const found = await rows.find(values.filter((value) => value !== undefined))
    return (value) => found.get(value)
  }
}

export const enrich = node({
  type: "enrich",
  kind: "processing",
  effect: "enriches",
  description:
    "Adds columns of a table to the records, looked up by the value of a field. The table (csv, ndjson or Parquet, with up to " +
    "1 000 000 rows) is read when the run starts, and again when its file has changed. A key or column that it lacks " +
    "fails the run. Instead of a table, the documents of an index can be looked up.",
  runtimes: ["stream"],
  settings,
  aliases: ["lookup", "translate", "reference"],
  inputs: { min: 1, max: 100 },
  isStateless: ({ index }) => index === undefined,
  needs: ["search"],
  isNeeding: ({ index }) => index !== undefined,
  outputs: [chosen, errors],
  example: { field: "response", path: "resources/http-status.csv", key: "status", target: "status" },
  check: (given, context) =>
    given.index === undefined
      ? (fileInput.check?.(sourceOf(given), context) ?? [])
      : [...checkIndex(given.index, given), ...checkSearch({ index: given.index, query: {} }, context)],
  secrets: ["s3"],
  roots: rootOf,
  references: (given) => (given.index === undefined ? referencesOf(given) : []),
  fields: ({ field, columns, target }) => ({
    reads: named(field, ["field"]),
    gives: (known) => {
      if (target !== undefined) return withFields(known, [dotted(target)])
      return columns && withFields(known, columns)
    }
  }),
  start: async (given, context) => {
    const { field, target, on_missing, case_insensitive } = given
    const keyOf = (value: unknown): string | undefined => {
      if (value === undefined || value === null || typeof value === "object") return undefined
      return case_insensitive ? String(value).toLowerCase() : String(value)
    }
    const find = await finder(given, context, keyOf)
    const path = fieldPath(field)
    const put = mergeInto(target)
    const failures = new Failures(context)
    const enriched = async (batch: Batch): Promise<Batch> => {
      const keys = batch.map((event) => keyOf(getPath(event, path)))
      const rowOf = await find(keys)
      const found: Array<Event> = []
      let matched = 0
      for (const [at, event] of batch.entries()) {
        const key = keys[at]
        const row = key === undefined ? undefined : rowOf(key)
        if (row !== undefined) {
          const made = put(event, row)
          if (made === undefined) failures.add(event, inTheWay(target))
          else found.push(made)
        } else if (on_missing === "keep") found.push(event)
        else if (on_missing === "errors") failures.add(event, `the table has no row for the field ${field}`)
        if (row !== undefined) matched++
      }
      context.counted?.("matched", matched)
      context.counted?.("unmatched", batch.length - matched)
      return found
    }
    return {
      process: async (batch, emit) => {
        await emit(chosen, await enriched(batch))
        await failures.send(emit)
      }
    }
  }
})
