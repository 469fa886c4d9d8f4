import * as Predicate from "effect/Predicate"
import type { Event } from "../Node.ts"

/** Number of records whose fields become the columns when none are given. */
export const sampledRecords = 1000

/** Spreadsheets run such a cell as a formula, unless it is a {@link number}. */
export const formula = /^[=+\-@\t\r]/
export const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
/** What a cell has to be quoted for (RFC 4180). */
export const special = /[",\r\n]/

/** A cell by RFC 4180. Nested values are JSON text, missing ones are empty. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  let text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  if (formula.test(text) && !number.test(text)) text = `'${text}`
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
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
export const csvHeader = (columns: ReadonlyArray<string>): string => row(columns.map(cell))

/** The rows of the events (RFC 4180). */
export const csvRows = (columns: ReadonlyArray<string>, events: ReadonlyArray<Event>): string => {
  let text = ""
  for (const event of events) text += row(columns.map((column) => cell(lookup(event, column))))
  return text
}
