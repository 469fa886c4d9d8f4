import { createReadStream } from "node:fs"
import { rm } from "node:fs/promises"
import { type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api"
import {
  type Column,
  columnAt,
  contains,
  isJson,
  jsonColumns,
  jsonLine,
  literal,
  parquetColumns,
  text
} from "../../drivers/duckdb/Columns.ts"
import type { Database } from "../../drivers/duckdb/Database.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import type { FileFormat } from "../../nodes/Capabilities.ts"
import { formulaBegins, guardedName, number } from "../../nodes/formats/CsvEncoder.ts"
import type { Sink } from "../../nodes/ports/NodeFiles.ts"
import type { Scratch } from "./Scratch.ts"

/** COPY options that write one column of lines unchanged. */
const verbatim = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '', NULLSTR ''"

/** Guards texts like the other runtimes, so that no spreadsheet executes them. */
const guarded = (cell: string, { typeId }: DuckDBType): string => {
  if (typeId !== Id.VARCHAR && typeId !== Id.ENUM) return cell
  const begins = `left(${cell}, 1) IN (${formulaBegins.map(literal).join(", ")})`
  const isNumber = `regexp_full_match(${cell}, ${literal(number.source)})`
  return `CASE WHEN ${begins} AND NOT ${isNumber} THEN '''' || ${cell} ELSE ${cell} END`
}

/** The query and the COPY options for a file of the relation. */
const copyOf = (
  relation: string,
  columns: ReadonlyArray<Column>,
  format: FileFormat,
  wanted: ReadonlyArray<string> | undefined
): readonly [query: string, options: string] => {
  const from = `FROM ${relation}`
  switch (format) {
    case "parquet":
      return [`SELECT ${parquetColumns(columns)} ${from}`, "FORMAT parquet, COMPRESSION zstd"]
    case "csv": {
      const cells = (wanted ?? columns.map(({ name }) => name)).map((path) => {
        const found = wanted === undefined ? undefined : columnAt(columns, path)
        const column = columns.find(({ name }) => name === path)
        const [value, type] = found ?? (column === undefined ? [] : [identifier(column.name), column.type])
        const cell =
          value === undefined || type === undefined ? "CAST(NULL AS VARCHAR)" : guarded(text(value, type), type)
        return [cell, identifier(guardedName(path))] as const
      })
      // A lone empty cell would be an empty line, which readers skip.
      const written = cells.map(
        ([cell, name]) => `${cells.length > 1 ? cell : `coalesce(CAST(${cell} AS VARCHAR), '')`} AS ${name}`
      )
      return [`SELECT ${written.join(", ")} ${from}`, "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"'"]
    }
    case "lines": {
      const message = columns.find(
        ({ name, type }) => name === "message" && type.typeId === Id.VARCHAR && !isJson(type)
      )
      const line = jsonLine(columns)
      const chosen = message === undefined ? line : `coalesce(${identifier(message.name)}, ${line})`
      return [`SELECT ${chosen} AS line ${from}`, verbatim]
    }
    case "ndjson":
      // DuckDB parses JSON columns again when it writes records, and rounds their long numbers.
      return columns.some(({ type }) => contains(type, isJson))
        ? [`SELECT ${jsonLine(columns)} AS line ${from}`, verbatim]
        : [`SELECT ${jsonColumns(columns)} ${from}`, "FORMAT json"]
  }
}

/** A written file that has not been moved to its place yet. */
interface WrittenFile {
  readonly path: string
  readonly records: number
}

/** Writes the relation to a scratch file. `what` names the file in messages. */
export const writeFile = async (
  database: Database,
  scratch: Scratch,
  relation: string,
  format: FileFormat,
  wanted: ReadonlyArray<string> | undefined,
  what: string
): Promise<WrittenFile> => {
  const path = scratch.path("out")
  const [query, options] = copyOf(relation, await database.columns(relation), format, wanted)
  const copy = database.run(`COPY (${query}) TO ${literal(path)} (${options})`)
  return { path, records: await scratch.watch(path, what, copy, () => database.interrupt()) }
}

/** Copies the scratch file to its destination. */
export const deliver = async (path: string, open: () => Promise<Sink>): Promise<void> => {
  const sink = await open()
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) await sink.write(chunk)
  await sink.close()
  await rm(path, { force: true })
}
