import { DuckDBTypeId as Id } from "@duckdb/node-api"
import { type Column, literal } from "../../drivers/duckdb/Columns.ts"
import type { Database } from "../../drivers/duckdb/Database.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import type { OpenedFile } from "./Files.ts"

const mib = 1024 * 1024
/** Above this size only a sample of the records is looked at. */
const wholeBytes = 256 * mib
const sampledRecords = 1_000_000
/** The number of columns that are looked at together: each needs some 200 KiB. */
const together = 100

/** The type in which a column is read; an empty text for the one that DuckDB has detected. As SQL over all its values. */
type Choice = (value: string) => string

const fully = (value: string, pattern: string): string => `regexp_full_match(${value}, ${literal(pattern)})`
const like = (value: string, pattern: string): string => `${value} LIKE ${literal(pattern)}`

/** Whether a condition holds for all texts, or one, with more than `length` characters. It costs nothing for others. */
const every = (value: string, length: number, holds: string): string =>
  `coalesce(bool_and(CASE WHEN length(${value}) > ${length} THEN ${holds} END), true)`
const some = (value: string, length: number, holds: string): string =>
  `coalesce(bool_or(CASE WHEN length(${value}) > ${length} THEN ${holds} END), false)`

const casts = (value: string, type: string): string => `TRY_CAST(${value} AS ${type}) IS NOT NULL`

/** Whole numbers of which a double would round one: HUGEINT, or other types for longer ones and among decimals. */
const numbers =
  (longer: string, mixed: string): Choice =>
  (value) =>
    `CASE WHEN NOT ${some(value, 15, fully(value, "[-+]?[0-9]{16,}"))} THEN '' ` +
    `WHEN NOT ${every(value, 0, `NOT contains(${value}, '.') AND ${fully(value, "[-+]?[0-9]+")}`)} THEN '${mixed}' ` +
    `WHEN ${every(value, 38, casts(value, "HUGEINT"))} THEN 'HUGEINT' ELSE '${longer}' END`

/** Texts that begin like ISO 8601 are what DuckDB has detected, others stay texts. */
const moments =
  (pattern: string): Choice =>
  (value) =>
    `CASE WHEN ${every(value, 0, `${like(value, pattern)} OR ${like(`trim(${value})`, pattern)}`)} THEN '' ELSE 'VARCHAR' END`
const timestamps = moments("____-__-__%")

const truths: Choice = (value) =>
  `CASE WHEN ${every(value, 0, `lower(${value}) IN ('true', 'false')`)} THEN '' ELSE 'VARCHAR' END`

/** Beside decimals, DuckDB detects `0x1f` and `0b1`, but does not read them. */
const decimals: Choice = (value) => {
  const isCoded = ["x", "X", "b", "B"].map((letter) => `contains(${value}, '${letter}')`).join(" OR ")
  return `CASE WHEN ${some(value, 2, isCoded)} THEN 'VARCHAR' ELSE ${numbers("VARCHAR", "")(value)} END`
}

/**
 * What DuckDB reads of csv files as another type than was meant: `22.04.03`, `epoch` and `f` are no dates and no boolean,
 * and which of day and month comes first in `01/02/2026` depends on the other rows.
 */
const csvChoices: ReadonlyMap<Id, Choice> = new Map([
  [Id.DOUBLE, decimals],
  [Id.BOOLEAN, truths],
  [Id.DATE, moments("____-__-__")],
  [Id.TIME, moments("__:__%")],
  [Id.TIMESTAMP, timestamps],
  [Id.TIMESTAMP_TZ, timestamps]
])

const jsonChoices: ReadonlyMap<Id, Choice> = new Map([[Id.DOUBLE, numbers("JSON", "JSON")]])

/** The types that DuckDB would detect of JSON whose values are all texts, booleans or numbers. */
const scalars: Choice = (value) => {
  const all = (...types: ReadonlyArray<string>) =>
    `bool_and(json_type(${value}) IN (${["NULL", ...types].map(literal).join(", ")}))`
  const number = numbers("JSON", "JSON")(value)
  return (
    `CASE WHEN coalesce(${all()}, true) THEN 'JSON' WHEN ${all("VARCHAR")} THEN 'VARCHAR' ` +
    `WHEN ${all("BOOLEAN")} THEN 'BOOLEAN' ` +
    `WHEN ${all("BIGINT", "UBIGINT")} AND ${every(value, 0, `${value} = 'null' OR ${casts(value, "BIGINT")}`)} THEN 'BIGINT' ` +
    `WHEN ${all("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE")} THEN CASE ${number} WHEN '' THEN 'DOUBLE' ELSE ${number} END ` +
    "ELSE 'JSON' END"
  )
}

/**
 * The types of columns that are not read as detected, by name. `query` reads these columns as texts.
 */
const changedTypes =
  (choices: ReadonlyMap<Id, Choice>, sampled = sampledRecords) =>
  async (
    columns: ReadonlyArray<Column>,
    query: (names: ReadonlyArray<string>) => string,
    files: ReadonlyArray<OpenedFile>,
    database: Database
  ): Promise<ReadonlyMap<string, string>> => {
    const looked = columns.filter(({ type }) => choices.has(type.typeId))
    const isLarge = files.reduce((sum, { bytes }) => sum + bytes, 0) > wholeBytes
    const limit = isLarge && Number.isFinite(sampled) ? ` LIMIT ${sampled}` : ""
    const found = new Map<string, string>()
    for (let at = 0; at < looked.length; at += together) {
      const some = looked.slice(at, at + together)
      const cells = some.map(({ name, type }) => choices.get(type.typeId)!(`CAST(${identifier(name)} AS VARCHAR)`))
      const rows = `SELECT * FROM ${query(some.map(({ name }) => name))}${limit}`
      const [row = []] = await database.rows(`SELECT ${cells.join(", ")} FROM (${rows})`)
      for (const [index, { name }] of some.entries()) if (row[index] !== "") found.set(name, row[index]!)
    }
    return found
  }

export const changedInCsv = changedTypes(csvChoices)
export const changedInJson = changedTypes(jsonChoices)
/** The types of all columns of JSON. */
export const typesOfJson = changedTypes(new Map([[Id.VARCHAR, scalars]]), Number.POSITIVE_INFINITY)
