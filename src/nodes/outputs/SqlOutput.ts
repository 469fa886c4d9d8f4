import { Schema } from "effect"
import { fieldPath, getPath } from "../../languages/FieldPath.ts"
import { suggestion, unknownName } from "../../languages/Suggest.ts"
import { runtimes } from "../../protocol/Flowline.ts"
import { type Batch, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import type { Outcomes, TableWriter } from "../ports/Databases.ts"
import { Failures } from "../records/Failures.ts"
import {
  DatabaseName,
  databaseFields,
  databaseSecrets,
  openPasswords,
  untilItAnswers
} from "../settings/DatabaseSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { membersOf } from "../settings/SettingTexts.ts"

const settings = Schema.Struct({
  ...databaseFields,
  schema: Schema.optionalKey(DatabaseName.annotate({ description: "Schema of the table. Default: the user's first." })),
  table: DatabaseName.annotate({ description: "Table to write, which must exist. Its name is taken as it is." }),
  columns: Schema.optionalKey(
    membersOf(Schema.NonEmptyString, (name) => (name === "" ? "This is not a name" : undefined), {}).annotate({
      description:
        "The columns to write, each with the field that it takes. Default: the fields with the names of columns."
    })
  ),
  unknown_fields: Schema.Literals(["errors", "ignore"]).pipe(
    withDefault("errors", "What to do with a record that has a field without a column, when there are no `columns`.")
  ),
  key: Schema.optionalKey(
    Schema.NonEmptyArray(DatabaseName).check(Schema.isMaxLength(32)).annotate({
      description: "Columns of a unique index. A row that is there already is changed; see `conflict`."
    })
  ),
  conflict: Schema.optionalKey(
    Schema.Literals(["update", "ignore"]).annotate({
      description:
        "What to do with a record whose row is there already: `update` the columns that it has, or `ignore` it. Default: " +
        "`update` with a `key`, otherwise the record goes to `errors`."
    })
  ),
  batch_records: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).pipe(
    withDefault(1000, "Maximum number of records per transaction.")
  )
})
type Settings = typeof settings.Type

type Row = Readonly<Record<string, unknown>>

/** Makes rows of records; a text says why a record has none. */
const rowMaker = (given: Settings, { columns }: TableWriter): ((event: Event) => Row | string) => {
  const known = new Set(columns)
  const { columns: chosen, unknown_fields } = given
  const place = `in the table ${given.table}`
  if (chosen !== undefined) {
    const unknown = Object.keys(chosen).find((name) => !known.has(name))
    if (unknown !== undefined) throw new Error(unknownName(unknown, columns, place))
    const paths = Object.entries(chosen).map(([column, field]) => [column, fieldPath(field)] as const)
    return (event) => {
      const row: Array<readonly [string, unknown]> = []
      for (const [column, path] of paths) {
        const value = getPath(event, path)
        if (value !== undefined) row.push([column, value])
      }
      return Object.fromEntries(row)
    }
  }
  return (event) => {
    const row: Array<readonly [string, unknown]> = []
    for (const [name, value] of Object.entries(event)) {
      if (value === undefined) continue
      if (known.has(name)) row.push([name, value])
      else if (unknown_fields === "errors") {
        return `the table ${given.table} has no column ${JSON.stringify(name.slice(0, 100))}${suggestion(name, columns)}`
      }
    }
    return row.length === 0
      ? `the record has no field with a column of the table ${given.table}`
      : Object.fromEntries(row)
  }
}

export const sqlOutput = node({
  type: "sql_output",
  kind: "output",
  description:
    "Writes the records to a table of a PostgreSQL: inserts rows, or with `key` changes those that are there already, so " +
    "that a repeated attempt leaves each row once. Columns without a field get their default. Each batch is a " +
    "transaction; the records that the database refuses go to `errors` with the column and its reason. While it does not " +
    "answer, the flowline waits.",
  runtimes,
  settings,
  secrets: databaseSecrets,
  aliases: ["jdbc_output", "postgres_output", "postgresql_output", "database_output", "db_output"],
  inputs: { min: 1, max: 100 },
  outputs: [errors],
  example: {
    url: "postgres://db.example.com/shop",
    user: "writer",
    password: `\${secret:SHOP_PASSWORD}`,
    table: "requests",
    key: ["id"]
  },
  check: (given) => {
    const issues: Array<SettingsIssue> = [...openPasswords(given)]
    if (given.conflict === "update" && given.key === undefined) {
      issues.push({
        path: ["conflict"],
        detail: "update needs a key, the columns that tell which row is there already"
      })
    }
    const { columns, key = [] } = given
    for (const [at, name] of key.entries()) {
      if (columns === undefined || Object.hasOwn(columns, name)) continue
      issues.push({ path: ["key", at], detail: unknownName(name, Object.keys(columns), "among the columns") })
    }
    return issues
  },
  start: async (given, context) => {
    const { openDatabase } = context
    if (openDatabase === undefined) throw new Error("Databases cannot be reached here")
    const { table: name, schema, key = [], retry_seconds, batch_records } = given
    const conflict = given.conflict ?? (key.length > 0 ? "update" : undefined)
    const database = await openDatabase(given)
    const answered = <A>(work: () => Promise<A>) => untilItAnswers(work, retry_seconds * 1000, context)
    const writer = await answered(() => database.table({ schema, name, key, conflict }))
    const rowOf = rowMaker(given, writer)
    const failures = new Failures(context)
    const write = async (batch: Batch) => {
      const rows: Array<Row> = []
      const events: Array<Event> = []
      for (const event of batch) {
        const row = rowOf(event)
        if (typeof row === "string") failures.add(event, row)
        else {
          rows.push(row)
          events.push(event)
        }
      }
      const outcomes: Outcomes = new Map()
      await answered(() => writer.write(rows, outcomes))
      for (const [at, reason] of outcomes) if (reason !== undefined) failures.add(events[at]!, reason)
    }
    return {
      process: async (batch, emit) => {
        for (let at = 0; at < batch.length; at += batch_records) await write(batch.slice(at, at + batch_records))
        await failures.send(emit)
      },
      end: () => database.close()
    }
  }
})
