import * as Predicate from "effect/Predicate"
import { fieldPath, getPath } from "../../languages/FieldPath.ts"
import type { Event } from "../Node.ts"

/** Number of records whose fields become the columns when none are given. */
export const sampledRecords = 1000

/** Spreadsheets run a cell that begins with one of these as a formula, unless it is a {@link number}. */
export const formulaBegins = ["=", "+", "-", "@", "\t", "\r"]
export const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
/** Characters for which a cell has to be quoted (RFC 4180). */
const special = /[",\r\n]/
/** Names that no program treats as a formula, such as `@timestamp`. */
const plainName = /^@?[A-Za-z_][A-Za-z0-9_.]*$/

/** The text, prefixed where a spreadsheet would run it as a formula. */
export const guarded = (text: string): string =>
  // All of these characters sort before the letters.
  text.charCodeAt(0) <= 0x40 && formulaBegins.includes(text.charAt(0)) && !number.test(text) ? `'${text}` : text

/** The name of a column as it is written in the header, without quotes. */
export const guardedName = (name: string): string => (plainName.test(name) ? name : guarded(name))

/** The text, in quotes where RFC 4180 requires them. */
export const quoted = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A cell by RFC 4180. Nested values are JSON text, missing ones are empty. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return quoted(guarded(typeof value === "string" ? value : (JSON.stringify(value) ?? "")))
}

/** The fields of the events in order of appearance; fields of nested objects as dotted paths. */
export const columnsOf = (events: ReadonlyArray<Event>): Array<string> => {
  const columns = new Set<string>()
  const collect = (value: Event, prefix: string, depth: number): void => {
    for (const [key, member] of Object.entries(value)) {
      if (Predicate.isObject(member) && depth < 32 && Object.keys(member).length > 0)
        collect(member, `${prefix}${key}.`, depth + 1)
      else columns.add(prefix + key)
    }
  }
  for (const event of events) collect(event, "", 0)
  return [...columns]
}

/** The value at a dotted path. A field whose own name contains the dots takes precedence. */
const lookup = (event: Event, column: string): unknown => {
  if (Object.hasOwn(event, column)) return event[column]
  for (let dot = column.indexOf("."); dot !== -1; dot = column.indexOf(".", dot + 1)) {
    const key = column.slice(0, dot)
    const member = Object.hasOwn(event, key) ? event[key] : undefined
    if (Predicate.isObject(member)) {
      const value = lookup(member, column.slice(dot + 1))
      if (value !== undefined) return value
    }
  }
  return undefined
}

const row = (cells: ReadonlyArray<string>): string =>
  // A lone empty cell would be an empty line, which readers skip.
  cells.length === 1 && cells[0] === "" ? '""\r\n' : `${cells.join(",")}\r\n`

/** The first row, with the names of the columns (RFC 4180). */
export const csvHeader = (columns: ReadonlyArray<string>): string =>
  row(columns.map((name) => quoted(guardedName(name))))

/** The rows of the events (RFC 4180). */
export const csvRows = (columns: ReadonlyArray<string>, events: ReadonlyArray<Event>): string => {
  const paths = columns.map(fieldPath)
  const valueOf = (event: Event, column: string, at: number) =>
    // Elements of lists have only paths.
    lookup(event, column) ?? (paths[at]!.length > 1 ? getPath(event, paths[at]!) : undefined)
  let text = ""
  for (const event of events) text += row(columns.map((column, at) => cell(valueOf(event, column, at))))
  return text
}
