import { Effect, Schema } from "effect"
import { type Fields, fieldPath, getPath, type Value } from "../../languages/FieldPath.ts"
import { Failures } from "../Failures.ts"
import { fileInput } from "../inputs/FileInput.ts"
import { formats } from "../inputs/files/Format.ts"
import { chosen, type Event, errors, type NodeContext, node } from "../Node.ts"
import { relativePath } from "../Paths.ts"
import { FieldName, ResourceName } from "../SettingTexts.ts"
import { Networks } from "./addresses/Networks.ts"
import { merge, placed } from "./Parsed.ts"

/** Maximum number of rows of a table, which is held in memory. */
const maxRows = 1_000_000

const settings = Schema.Struct({
  field: Schema.String.check(Schema.isNonEmpty()).annotate({
    description: "Field of the record whose value is looked up."
  }),
  key: Schema.String.check(Schema.isNonEmpty()).annotate({
    description: "Column of the table that contains the value."
  }),
  path: Schema.optionalKey(relativePath("The table: a file below the tenant's configuration folder.")),
  registry: Schema.optionalKey(relativePath("The table: a path of the tenant's registry. In place of `path`.")),
  resource: Schema.optionalKey(
    ResourceName.annotate({
      description: "The table as the build of an artifact: `type:group:artifact:version`. Replaces `path`."
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
  target: Schema.optionalKey(
    FieldName.annotate({ description: "Field that receives the columns. Default: the record itself." })
  ),
  on_missing: Schema.Literals(["keep", "drop", "errors"])
    .annotate({ description: "What to do with a record without a row in the table.", default: "keep" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("keep" as const))),
  match: Schema.Literals(["equal", "network"])
    .annotate({
      description:
        "`equal`: the value is the key. `network`: the key is a network such as `10.0.0.0/8` or `2001:db8::/32`, and the " +
        "value an address in it; the smallest network counts.",
      default: "equal"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("equal" as const))),
  case_insensitive: Schema.Boolean.annotate({ description: "Ignore case in comparisons.", default: false }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false))
  )
})
type Settings = typeof settings.Type

/** The settings of the table in the form of `file_input`. */
const source = ({ path, registry, resource, format }: Settings) => ({
  ...(path === undefined ? {} : { path }),
  ...(registry === undefined ? {} : { registry }),
  ...(resource === undefined ? {} : { resource }),
  ...(format === undefined ? {} : { format }),
  follow: false,
  encoding: "utf-8" as const,
  source: false
})

/** Rows by their keys. */
interface Table {
  /** Adds a row unless its key has one. False when the text cannot be a key. */
  readonly add: (key: string, row: Fields) => boolean
  readonly find: (value: string) => Fields | undefined
}

const equalKeys = (): Table => {
  const rows = new Map<string, Fields>()
  return { add: (key, row) => rows.has(key) || rows.set(key, row).size > 0, find: (value) => rows.get(value) }
}

const networks = (): Table => {
  const rows = new Networks<Fields>()
  return { add: (key, row) => rows.add(key.trim(), row), find: (value) => rows.find(value.trim()) }
}

/** Reads the table. Of several rows with the same key the first is used. */
const load = async (given: Settings, context: NodeContext, keyOf: (value: unknown) => string | undefined) => {
  const table = given.match === "network" ? networks() : equalKeys()
  const { columns, key } = given
  let rows = 0
  const take = async (stream: string, batch: ReadonlyArray<Event>) => {
    if (stream !== chosen) throw new Error(`the table cannot be read: ${JSON.stringify(batch[0]?.["error"] ?? "")}`)
    for (const row of batch) {
      rows++
      if (rows > maxRows) throw new Error(`the table has more than ${maxRows} rows`)
      const name = keyOf(Object.hasOwn(row, key) ? row[key] : undefined)
      if (name === undefined) continue
      const kept = Object.entries(row).filter(([column]) => columns?.includes(column) ?? column !== key)
      if (table.add(name, Object.fromEntries(kept) as Fields)) continue
      throw new Error(
        `row ${rows} of the table has no network in ${key}: ${name.slice(0, 60)}; write 10.0.0.0/8 or 2001:db8::/32`
      )
    }
  }
  const reader = await fileInput.start(source(given), context)
  await reader.run?.(take)
  return table
}

export const enrich = node({
  type: "enrich",
  kind: "processing",
  description:
    "Adds columns of a table to the records, looked up by the value of a field. The table (csv, ndjson or Parquet, with up to " +
    "1 000 000 rows) is read once, when the run starts.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "response", path: "resources/http-status.csv", key: "status", target: "status" },
  check: (given, context) => fileInput.check?.(source(given), context) ?? [],
  references: (given) => fileInput.references?.(source(given)) ?? [],
  start: async (given, context) => {
    const { field, target, on_missing, case_insensitive } = given
    const keyOf = (value: unknown): string | undefined => {
      if (value === undefined || value === null || typeof value === "object") return undefined
      return case_insensitive ? String(value).toLowerCase() : String(value)
    }
    const table = await load(given, context, keyOf)
    const path = fieldPath(field)
    const below = target === undefined ? [] : fieldPath(target)
    const failures = new Failures(context)
    return {
      process: async (batch, emit) => {
        const found: Array<Event> = []
        for (const event of batch) {
          const key = keyOf(getPath(event as Fields, path))
          const row = key === undefined ? undefined : table.find(key)
          if (row !== undefined) found.push(merge(event, placed(below, row as Value) as Event))
          else if (on_missing === "keep") found.push(event)
          else if (on_missing === "errors") failures.add(event, `the table has no row for the field ${field}`)
        }
        await emit(chosen, found)
        await failures.send(emit)
      }
    }
  }
})
