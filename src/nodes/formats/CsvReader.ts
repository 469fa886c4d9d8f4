import { parse } from "csv-parse/sync"
import type { Event } from "../Node.ts"
import { keptLength, maxLineLength } from "./LineSplitter.ts"

type Row = ReadonlyArray<string>

/** Throws when a quote is misplaced or not closed. */
const parseRows = (text: string): ReadonlyArray<Row> => {
  if (text.includes('"')) {
    return parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: ["\n", "\r\n"] })
  }
  const rows: Array<Row> = []
  for (const line of text.split("\n")) {
    const row = line.charCodeAt(line.length - 1) === 13 ? line.slice(0, -1) : line
    if (row !== "") rows.push(row.split(","))
  }
  return rows
}

/**
 * A line end ends a row if the number of quotes before it is even. Returns the offset after the first or last such line
 * end.
 */
const rowEnd = (text: string, which: "first" | "last"): number => {
  let end = 0
  for (let at = 0, inside = false; at <= text.length; inside = !inside) {
    const quote = text.indexOf('"', at)
    const stop = quote === -1 ? text.length : quote
    if (!inside) {
      const found = which === "first" ? text.indexOf("\n", at) : text.lastIndexOf("\n", stop - 1)
      if (found >= at && found < stop) end = found + 1
      if (which === "first" && end > 0) return end
    }
    if (quote === -1) break
    at = quote + 1
  }
  return end
}

/** The column names: an empty one becomes `column<n>`, and a repeated one gets its number appended. */
export const namesOf = (header: Row): Row => {
  const names = new Set<string>()
  return header.map((given, index) => {
    const name = given === "" ? `column${index + 1}` : given
    const own = names.has(name) ? `${name}_${index + 1}` : name
    names.add(own)
    return own
  })
}

/**
 * RFC 4180 with a header row, line ends LF or CRLF. All values are texts. A row with more or fewer cells than the
 * header fails.
 */
export class CsvReader {
  readonly #fail: (event: Event, reason: string) => void
  readonly #sourceAt: ((line: number) => Event) | undefined
  #names: Row | undefined
  /** The text since the end of the last row. */
  #waiting = ""
  /** Length of the text that was already searched for a row end. */
  #looked = 0
  /** Number of rows so far, including the header. */
  #rows = 0
  /** The number of the line at which the next row begins, from 1. Counted where rows have sources. */
  line = 1

  /** `sourceAt`: members for a row that begins at a line. */
  constructor(fail: (event: Event, reason: string) => void, sourceAt?: (line: number) => Event) {
    this.#fail = fail
    this.#sourceAt = sourceAt
  }

  push(text: string, into: Array<Event>): void {
    this.#waiting += text
    // Avoids searching a long row again for each chunk.
    if (this.#waiting.length < 2 * this.#looked && this.#waiting.length <= maxLineLength) return
    this.#drain(into)
    while (this.#waiting.length > maxLineLength) {
      this.#waiting = this.#giveUp(
        this.#waiting,
        `has more than ${maxLineLength} characters, or a quote that is not closed`
      )
      this.#drain(into)
    }
    this.#looked = this.#waiting.length
  }

  /** Reads the complete rows of the waiting text. */
  #drain(into: Array<Event>): void {
    const end = rowEnd(this.#waiting, "last")
    if (end > 0) this.#waiting = this.#read(this.#waiting.slice(0, end), into) + this.#waiting.slice(end)
  }

  end(into: Array<Event>): void {
    for (let text = this.#waiting; text !== ""; ) text = this.#read(text, into)
    this.#waiting = ""
  }

  /**
   * An unclosed quote would consume the rest of the file, so only its line is lost. Returns the text after that line.
   */
  #giveUp(text: string, what: string): string {
    const end = text.indexOf("\n")
    const line = (end === -1 ? text : text.slice(0, end)).slice(0, keptLength)
    const row = ++this.#rows
    this.#fail({ message: line.replace(/\r$/, ""), row, ...this.#source() }, `row ${row} ${what}`)
    this.line++
    return end === -1 ? "" : text.slice(end + 1)
  }

  /** Reads whole rows. Returns the text that is left when a faulty quote made the row ends uncertain. */
  #read(text: string, into: Array<Event>): string {
    // The rows of a text that is read as a whole do not say on which lines they are.
    if (this.#sourceAt !== undefined) return this.#readOneByOne(text, into)
    try {
      for (const row of parseRows(text)) this.#take(row, into)
      return ""
    } catch {
      return this.#readOneByOne(text, into)
    }
  }

  #readOneByOne(text: string, into: Array<Event>): string {
    let rest = text
    while (rest !== "") {
      const end = rowEnd(rest, "first")
      // The quotes were even up to the end of the text; from here on they are not.
      if (end === 0 && rest.length < text.length) return rest
      let rows: ReadonlyArray<Row>
      try {
        rows = parseRows(end === 0 ? rest : rest.slice(0, end))
      } catch {
        rest = this.#giveUp(rest, "has a quote that is misplaced or not closed")
        continue
      }
      for (const row of rows) this.#take(row, into)
      if (this.#sourceAt !== undefined) this.line += rest.slice(0, end).split("\n").length - 1
      rest = end === 0 ? "" : rest.slice(end)
    }
    return rest
  }

  #source(): Event | undefined {
    return this.#sourceAt?.(this.line)
  }

  #take(cells: Row, into: Array<Event>): void {
    const row = ++this.#rows
    if (this.#names === undefined) this.#names = namesOf(cells)
    else if (cells.length === this.#names.length) into.push(this.#event(this.#names, cells))
    else
      this.#fail(
        { row, cells, ...this.#source() },
        `row ${row} has ${cells.length} cells, the header has ${this.#names.length}`
      )
  }

  #event(names: Row, cells: Row): Event {
    if (names.includes("__proto__")) {
      return { ...Object.fromEntries(names.map((name, index) => [name, cells[index]])), ...this.#source() }
    }
    const event: Record<string, unknown> = {}
    for (let index = 0; index < names.length; index++) event[names[index]!] = cells[index]
    return this.#sourceAt === undefined ? event : Object.assign(event, this.#source())
  }
}
