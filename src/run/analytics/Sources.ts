import { type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api"
import { isJson, literal, typeText } from "../../drivers/duckdb/Columns.ts"
import { type Database, SqlFailure } from "../../drivers/duckdb/Database.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import type { OpenedFile } from "./Files.ts"
import { changedInCsv, changedInJson } from "./ReadTypes.ts"

const mib = 1024 * 1024
const isNotNull = " IS NOT NULL"

/** Whether a query of {@link source} leaves out rows that the reader counts. */
export const leavesOut = (query: string): boolean => query.endsWith(isNotNull)

/** Whether DuckDB does not see rows in a CSV file. It does not say why. */
export const isUnreadable = (message: string): boolean => /Error when sniffing|state machine/.test(message)

/** A date format that matches nothing, so texts stay texts. */
const never = literal("\u0001%Y")

const list = (files: ReadonlyArray<OpenedFile>): string => `[${files.map(({ path }) => literal(path)).join(", ")}]`

const options = (given: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(given)
    .map(([name, value]) => `, ${name} = ${value}`)
    .join("")

const several = (files: ReadonlyArray<OpenedFile>) => (files.length > 1 ? { union_by_name: true } : {})

/** RFC 4180 with a header: a row with more or fewer cells than the header is an error. */
const strictCsv = {
  header: true,
  delim: "','",
  quote: `'"'`,
  escape: `'"'`,
  comment: "''",
  skip: 0,
  strict_mode: true,
  null_padding: false,
  // A quoted value is a text, even an empty one.
  allow_quoted_nulls: false
}

/**
 * Types are detected from all rows: with a sample, DuckDB would round a decimal that comes later in a column of
 * integers. A single file is then read with the detected types.
 */
const csv = async (files: ReadonlyArray<OpenedFile>, database: Database): Promise<string> => {
  const read = (more: Readonly<Record<string, string | boolean>>) =>
    `read_csv(${list(files)}${options({ ...strictCsv, ...several(files), sample_size: -1, ...more })})`
  const detected = read({})
  const columns = await database.columns(detected)
  const changed = await changedInCsv(columns, () => read({ all_varchar: true }), files, database)
  const [only, ...more] = columns
  // DuckDB takes an empty line for a row where there is one column, in which nothing else is NULL. Elsewhere, and in stream
  // flowlines, it is none.
  const filled = only === undefined || more.length > 0 ? "" : ` WHERE ${identifier(only.name)}${isNotNull}`
  const typed = (name: string, type: string) => `${literal(name)}: ${literal(type)}`
  if (files.length === 1) {
    const types = columns.map(({ name, type }) => typed(name, changed.get(name) ?? String(type)))
    return `read_csv(${list(files)}${options({ ...strictCsv, auto_detect: false, columns: `{${types.join(", ")}}` })})${filled}`
  }
  const types = [...changed].map(([name, type]) => typed(name, type))
  return `${types.length === 0 ? detected : read({ types: `{${types.join(", ")}}` })}${filled}`
}

/** Reads a CSV file as text columns with these names. Fails with the line that does not fit. */
export const plainCsv = (path: string, header: ReadonlyArray<string>): string => {
  const columns = header.map((_, index) => `c${index}: 'VARCHAR'`).join(", ")
  return `read_csv(${literal(path)}${options({ ...strictCsv, auto_detect: false, columns: `{${columns}}` })})`
}

const lines = (files: ReadonlyArray<OpenedFile>): string =>
  `read_csv(${list(files)}${options({
    auto_detect: false,
    columns: "{message: 'VARCHAR'}",
    header: false,
    delim: "','",
    quote: `'"'`,
    escape: `'"'`,
    new_line: "'\\n'",
    allow_quoted_nulls: false,
    // The longest accepted line, if it consisted of quotes and wide characters. The default buffer is 16 times as
    // large.
    max_line_size: 7 * mib,
    buffer_size: 8 * mib
  })})`

const noRecords = /expected records/

/** DuckDB detects times and UUIDs in JSON strings; they stay strings. */
const ofJson = (type: DuckDBType): string =>
  isJson(type) ? "JSON" : type.typeId === Id.UUID || type.typeId === Id.TIME ? "VARCHAR" : String(type)

/**
 * Keeps the types of JSON: strings stay strings whatever they look like, and numbers keep their digits. Undefined when
 * the files hold no record.
 */
const ndjson = async (files: ReadonlyArray<OpenedFile>, database: Database): Promise<string | undefined> => {
  const common = { format: "'newline_delimited'", maximum_object_size: 4 * mib, ...several(files) }
  const detected = `read_json(${list(files)}${options({
    ...common,
    records: true,
    sample_size: -1,
    // A record is always a row; without this, DuckDB turns records with many rare members into a MAP.
    map_inference_threshold: -1,
    dateformat: never,
    timestampformat: never
  })})`
  const read = (types: ReadonlyArray<readonly [name: string, type: string]>) => {
    const columns = types.map(([name, type]) => `${literal(name)}: ${literal(type)}`)
    return `read_json(${list(files)}${options({ ...common, columns: `{${columns.join(", ")}}` })})`
  }
  const objects = `read_json_objects(${list(files)}, format = 'newline_delimited')`
  const columns = await database.columns(detected).catch(async (error: unknown) => {
    if (!(error instanceof SqlFailure && noRecords.test(error.message))) throw error
    if ((await database.value(`SELECT count(*) FROM ${objects}`)) > 0) throw error
    return []
  })
  if (columns.length === 0) return undefined
  const raw = (names: ReadonlyArray<string>) => read(names.map((name) => [name, "JSON"]))
  const changed = await changedInJson(columns, raw, files, database)
  // DuckDB numbers names that differ only in case. A name such as `a_1` may also be a real member, and only the reader
  // knows which.
  if (columns.some(({ name }) => /_[0-9]+$/.test(name))) return detected
  // So is `C0` the name of a member without one, in the first column.
  const nameless = `SELECT count(*) FROM ${objects} WHERE list_contains(json_keys(json), '')`
  if (columns.some(({ name }, at) => name === `C${at}`) && (await database.value(nameless)) > 0) return detected
  return read(columns.map(({ name, type }) => [name, changed.get(name) ?? typeText(type, ofJson)]))
}

/** The query that reads the files; undefined when they are empty and their columns unknown. */
export const source = async (files: ReadonlyArray<OpenedFile>, database: Database): Promise<string | undefined> => {
  const parts: Array<string> = []
  const filled = files.filter(({ bytes }) => bytes > 0)
  for (const [format, group] of Map.groupBy(filled, ({ format }) => format)) {
    switch (format) {
      case "lines":
        parts.push(lines(group))
        break
      case "csv":
        parts.push(await csv(group, database))
        break
      case "ndjson": {
        const query = await ndjson(group, database)
        if (query !== undefined) parts.push(query)
        break
      }
      case "parquet":
        parts.push(`read_parquet(${list(group)}${options(several(group))})`)
    }
  }
  if (parts.length === 0) {
    return files.some(({ format }) => format === "lines") ? "SELECT '' AS message WHERE false" : undefined
  }
  return parts.map((part) => `SELECT * FROM ${part}`).join(" UNION ALL BY NAME ")
}
