import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { parse } from "csv-parse/sync"
import * as Predicate from "effect/Predicate"
import { type Database, SqlFailure } from "../../drivers/duckdb/Database.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { CsvReader } from "../../nodes/formats/CsvReader.ts"
import { LineSplitter } from "../../nodes/formats/LineSplitter.ts"
import { NodeFailure } from "../stream/NodeFailure.ts"
import { lineOfRow } from "./CsvLines.ts"
import type { OpenedFile } from "./Files.ts"
import { lineOfLoneReturn } from "./LineEnds.ts"
import { isUnreadable, plainCsv } from "./Sources.ts"

/** Larger files are not read again to find the faulty line. */
const maxBytes = 512 * 1024 * 1024

/**
 * The first line that is not a JSON object, and what is wrong with it. The file is read again because DuckDB's line
 * numbers vary.
 */
const findJson = async ({ path, name, bytes }: OpenedFile): Promise<string | undefined> => {
  if (bytes > maxBytes) return undefined
  let count = 0
  let fault: string | undefined
  const look = (lines: ReadonlyArray<string>) => {
    for (const line of lines) {
      count++
      if (fault !== undefined || line.trim() === "") continue
      try {
        if (!Predicate.isObject(parseJson(line))) fault = `${name}, line ${count}: the line is JSON, but not an object`
      } catch {
        fault = `${name}, line ${count}: the line is not JSON`
      }
    }
  }
  const splitter = new LineSplitter(() => count++)
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1024 * 1024 })) {
    look(splitter.push(String(chunk)))
    if (fault !== undefined) return fault
  }
  look(splitter.end())
  return fault
}

/**
 * DuckDB reports that rows of a file do not fit together, but not which. Reading the columns as text fails with the
 * line.
 */
const findCsv = async ({ path }: OpenedFile, database: Database): Promise<void> => {
  const file = await open(path, "r")
  const { buffer, bytesRead } = await file.read(Buffer.alloc(256 * 1024), 0, 256 * 1024, 0)
  await file.close()
  const options = { to: 1, bom: true, relax_column_count: true, relax_quotes: true }
  const rows: ReadonlyArray<ReadonlyArray<string>> = parse(buffer.subarray(0, bytesRead), options)
  if (rows[0] !== undefined) await database.run(`SELECT count(c0) FROM ${plainCsv(path, rows[0])}`)
}

/** The first row that is no record, and what is wrong with it, where DuckDB says neither. */
const findRow = async ({ path, name, bytes }: OpenedFile): Promise<string | undefined> => {
  if (bytes > maxBytes) return undefined
  const lone = await lineOfLoneReturn(path)
  if (lone !== undefined) return `${name}, line ${lone}: a carriage return outside of quotes does not end a line`
  let fault: string | undefined
  const reader = new CsvReader(
    ({ line }, reason) => {
      fault ??= `${name}, line ${line}: ${reason.replace(/^row \d+/, "the row")}`
    },
    (line) => ({ line })
  )
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1024 * 1024 })) {
    reader.push(String(chunk), [])
    if (fault !== undefined) return fault
  }
  reader.end([])
  return fault
}

/**
 * The failure with the line of the faulty row. DuckDB counts rows, not lines; for a row that is too long it names the
 * first row of the buffer that it has read.
 */
const located = async (error: unknown, { path }: OpenedFile): Promise<unknown> => {
  if (!(error instanceof SqlFailure)) return error
  const place = /CSV Error on Line: (\d+)/.exec(error.message)
  if (place === null) return error
  const size = /Maximum line size of (\d+) bytes/.exec(error.message)?.[1]
  const isRow =
    size === undefined ? (row: number) => row === Number(place[1]) : (_: number, bytes: number) => bytes > Number(size)
  const line = await lineOfRow(path, isRow).catch(() => undefined)
  const message = error.message.replace(
    place[0],
    line === undefined ? "CSV Error on Line" : `CSV Error on Line: ${line}`
  )
  return new SqlFailure(message, error.kind, error.offset)
}

/**
 * Searches the component's files for the cause of a failed statement. Returns the more precise failure, or the error
 * itself.
 */
export const refined = async (
  error: unknown,
  files: ReadonlyArray<OpenedFile & { readonly component: string }>,
  database: Database
): Promise<unknown> => {
  if (!(error instanceof SqlFailure)) return error
  const about = (file: OpenedFile) => error.message.includes(file.path)
  const isJson = /JSON|records/.test(error.message) && !/unicode|utf-?8/i.test(error.message)
  const named = files.some(about)
  for (const file of files.filter((file) => (named ? about(file) : true))) {
    if (file.format === "ndjson" && isJson) {
      const detail = await findJson(file).catch(() => undefined)
      if (detail !== undefined) return new NodeFailure({ component: file.component, detail, cause: error })
    }
    if (file.format === "csv" && isUnreadable(error.message)) {
      try {
        await findCsv(file, database)
      } catch (better) {
        if (better instanceof SqlFailure && !isUnreadable(better.message)) return located(better, file)
      }
      const detail = await findRow(file).catch(() => undefined)
      if (detail !== undefined) return new NodeFailure({ component: file.component, detail, cause: error })
    }
    if (file.format === "csv" && about(file)) return located(error, file)
  }
  return error
}
