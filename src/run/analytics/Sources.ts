import { DuckDBListType, DuckDBStructType, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api"
import { type Column, contains, isJson, literal, typeText } from "../../drivers/duckdb/Columns.ts"
import { type Database, SqlFailure } from "../../drivers/duckdb/Database.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import type { OpenedFile } from "./Files.ts"
import { changedInCsv, changedInJson, typesOfJson } from "./ReadTypes.ts"

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
  const fixed = (types: ReadonlyArray<readonly [name: string, type: string]>) => {
    const columns = types.map(([name, type]) => `${literal(name)}: ${literal(type)}`)
    return `read_csv(${list(files)}${options({ ...strictCsv, auto_detect: false, columns: `{${columns.join(", ")}}` })})`
  }
  const detected = read({})
  const columns = await database.columns(detected)
  const isOne = files.length === 1
  // Nothing has to be detected where the columns of the file are given.
  const texts = isOne ? fixed(columns.map(({ name }) => [name, "VARCHAR"])) : read({ all_varchar: true })
  const changed = await changedInCsv(columns, () => texts, files, database)
  const [only, ...more] = columns
  // DuckDB takes an empty line for a row where there is one column, in which nothing else is NULL. Elsewhere, and in stream
  // flowlines, it is none.
  const filled = only === undefined || more.length > 0 ? "" : ` WHERE ${identifier(only.name)}${isNotNull}`
  if (isOne) return `${fixed(columns.map(({ name, type }) => [name, changed.get(name) ?? String(type)]))}${filled}`
  const types = [...changed].map(([name, type]) => `${literal(name)}: ${literal(type)}`)
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
const twiceInObject = /^Duplicate name .* in struct/

/** DuckDB detects times and UUIDs in JSON strings; they stay strings. */
const ofJson = (type: DuckDBType): string =>
  isJson(type) ? "JSON" : type.typeId === Id.UUID || type.typeId === Id.TIME ? "VARCHAR" : String(type)

const isNested = (type: DuckDBType): boolean => type.typeId === Id.STRUCT || type.typeId === Id.LIST

/** The type of objects and lists as `json_transform` takes it. */
const structure = (type: DuckDBType): string => {
  if (type instanceof DuckDBListType) return `[${structure(type.valueType)}]`
  if (!(type instanceof DuckDBStructType)) return JSON.stringify(ofJson(type))
  const members = type.entryNames.map((name, at) => `${JSON.stringify(name)}:${structure(type.entryTypes[at]!)}`)
  return `{${members.join(",")}}`
}

/** Whether a type has a member without a name, which no type in SQL can have. */
const isNameless = (type: DuckDBType): boolean =>
  contains(type, (part) => part instanceof DuckDBStructType && part.entryNames.includes(""))

/**
 * Whether DuckDB has given a name to a column. It numbers names that differ only in case (`A_1`), and a member without a
 * name in the first column is `C0`. Others may have such names themselves.
 */
const isRenamed = async (columns: ReadonlyArray<Column>, objects: string, database: Database): Promise<boolean> => {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()))
  const isDoubtful = columns.some(({ name }, at) => {
    const [, base] = /^(.*)_[0-9]+$/s.exec(name) ?? []
    return name === `C${at}` || (base !== undefined && names.has(base.toLowerCase()))
  })
  if (!isDoubtful) return false
  const keys = await database.rows(`SELECT DISTINCT unnest(json_keys(json)) FROM ${objects}`)
  const real = new Set(keys.map(([key]) => key))
  return columns.some(({ name }) => !real.has(name))
}

/**
 * Keeps the types of JSON: strings stay strings whatever they look like, and numbers keep their digits. Undefined when
 * the files hold no record.
 */
const ndjson = async (files: ReadonlyArray<OpenedFile>, database: Database): Promise<string | undefined> => {
  const common = { format: "'newline_delimited'", maximum_object_size: 4 * mib, ...several(files) }
  const detecting = (more: Readonly<Record<string, number>> = {}) =>
    `read_json(${list(files)}${options({
      ...common,
      records: true,
      sample_size: -1,
      // A record is always a row; without this, DuckDB turns records with many rare members into a MAP.
      map_inference_threshold: -1,
      dateformat: never,
      timestampformat: never,
      ...more
    })})`
  const read = (types: ReadonlyArray<readonly [name: string, type: string]>) => {
    const columns = types.map(([name, type]) => `${literal(name)}: ${literal(type)}`)
    return `read_json(${list(files)}${options({ ...common, columns: `{${columns.join(", ")}}` })})`
  }
  const objects = `read_json_objects(${list(files)}, format = 'newline_delimited')`
  const flat = detecting({ maximum_depth: 1 })
  // A name in objects that differs from another one only in case: all objects and lists are columns of JSON then.
  let isFlat = false
  const detected = await database.columns(detecting()).catch(async (error: unknown) => {
    if (!(error instanceof SqlFailure)) throw error
    isFlat = twiceInObject.test(error.message)
    if (isFlat) return database.columns(flat)
    if (!noRecords.test(error.message) || (await database.value(`SELECT count(*) FROM ${objects}`)) > 0) throw error
    return []
  })
  if (detected.length === 0) return undefined
  // The reader finds values by the names of their members.
  const isNamed = !(await isRenamed(detected, objects, database))
  const raw = (names: ReadonlyArray<string>) => (isNamed ? read(names.map((name) => [name, "JSON"])) : flat)
  const changed = await (isFlat ? typesOfJson : changedInJson)(detected, raw, files, database)
  const own = ({ name, type }: Column) => changed.get(name) ?? (isNameless(type) ? "JSON" : undefined)
  if (isNamed) return read(detected.map((column) => [column.name, own(column) ?? typeText(column.type, ofJson)]))
  const cells = detected.map((column) => {
    const value = identifier(column.name)
    const type = own(column) ?? (isNested(column.type) ? undefined : ofJson(column.type))
    if (type === "JSON") return value
    const shape = literal(structure(column.type))
    return `${type === undefined ? `json_transform(${value}, ${shape})` : `CAST(${value} ->> '$' AS ${type})`} AS ${value}`
  })
  return `(SELECT ${cells.join(", ")} FROM ${flat})`
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
