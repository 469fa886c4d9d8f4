import { DuckDBTypeId as Id } from "@duckdb/node-api"
import type { Format } from "../../../services/nodes/files/Format.ts"
import { contains, literal } from "./Columns.ts"
import type { Database } from "./Database.ts"
import type { Opened } from "./Files.ts"

const mib = 1024 * 1024
/** Files up to this size are read whole to find the types of their columns, larger ones up to so many records. */
const wholeBytes = 32 * mib
const sampledRecords = 200_000

/** A date format that fits nothing: a text stays a text. */
const never = literal("\u0001%Y")

const list = (files: ReadonlyArray<Opened>): string => `[${files.map(({ path }) => literal(path)).join(", ")}]`

const options = (given: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(given)
    .map(([name, value]) => `, ${name} = ${value}`)
    .join("")

const several = (files: ReadonlyArray<Opened>) => (files.length > 1 ? { union_by_name: true } : {})

const sample = (files: ReadonlyArray<Opened>): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0) <= wholeBytes ? -1 : sampledRecords

/** RFC 4180 with a header, held strictly: a row with more or fewer cells than the header fails. */
const strictCsv = {
  header: true,
  delim: "','",
  quote: `'"'`,
  escape: `'"'`,
  comment: "''",
  skip: 0,
  strict_mode: true,
  null_padding: false,
  // What is quoted is a text, be it empty.
  allow_quoted_nulls: false
}

const csv = (files: ReadonlyArray<Opened>): string =>
  `read_csv(${list(files)}${options({ ...strictCsv, ...several(files), sample_size: sample(files) })})`

/** Reads a csv file with text columns of these names: it fails with the line that does not fit. */
export const plainCsv = (path: string, header: ReadonlyArray<string>): string => {
  const columns = header.map((_, index) => `c${index}: 'VARCHAR'`).join(", ")
  return `read_csv(${literal(path)}${options({ ...strictCsv, auto_detect: false, columns: `{${columns}}` })})`
}

const lines = (files: ReadonlyArray<Opened>): string =>
  `read_csv(${list(files)}${options({
    auto_detect: false,
    columns: "{message: 'VARCHAR'}",
    header: false,
    delim: "','",
    quote: `'"'`,
    escape: `'"'`,
    new_line: "'\\n'",
    allow_quoted_nulls: false,
    max_line_size: 8 * mib
  })})`

/** JSON has types of its own: what is a text there stays one, whatever it looks like. */
const ndjson = async (files: ReadonlyArray<Opened>, database: Database): Promise<string> => {
  const common = { format: "'newline_delimited'", maximum_object_size: 16 * mib, ...several(files) }
  const detected = `read_json(${list(files)}${options({
    ...common,
    records: true,
    sample_size: sample(files),
    dateformat: never,
    timestampformat: never
  })})`
  const columns = await database.columns(detected)
  const guessed = new Set<Id>([Id.UUID, Id.TIME, Id.DATE, Id.TIMESTAMP])
  if (!columns.some(({ type }) => contains(type, (part) => guessed.has(part.typeId)))) return detected
  const types = columns.map(({ name, type }) => {
    const text = String(type).replace(/\b(UUID|TIME|DATE|TIMESTAMP)\b(?=([^"]*"[^"]*")*[^"]*$)/g, "VARCHAR")
    return `${literal(name)}: ${literal(type.alias === "JSON" ? "JSON" : text)}`
  })
  return `read_json(${list(files)}${options({ ...common, columns: `{${types.join(", ")}}` })})`
}

/** The query that reads the files, or undefined when they hold nothing: then nobody knows their columns. */
export const source = async (files: ReadonlyArray<Opened>, database: Database): Promise<string | undefined> => {
  const parts: Array<string> = []
  const groups = new Map<Format, Array<Opened>>()
  for (const file of files) {
    if (file.bytes === 0) continue
    const group = groups.get(file.format)
    if (group === undefined) groups.set(file.format, [file])
    else group.push(file)
  }
  for (const [format, group] of groups) {
    switch (format) {
      case "lines":
        parts.push(lines(group))
        break
      case "csv":
        parts.push(csv(group))
        break
      case "ndjson":
        parts.push(await ndjson(group, database))
        break
      case "parquet":
        parts.push(`read_parquet(${list(group)}${options(several(group))})`)
    }
  }
  if (parts.length === 0) {
    return files.some(({ format }) => format === "lines") ? "SELECT '' AS message WHERE false" : undefined
  }
  return parts.map((part) => `SELECT * FROM ${part}`).join(" UNION ALL BY NAME ")
}
