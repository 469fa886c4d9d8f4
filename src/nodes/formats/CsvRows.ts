import { parse } from "csv-parse/sync"

export type Row = ReadonlyArray<string>

/** Throws when a quote is misplaced or not closed. */
export const parseRows = (text: string): ReadonlyArray<Row> => {
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

/** The offset after the last row: a line end ends a row if the number of quotes before it is even. 0 if there is none. */
export const lastRowEnd = (text: string): number => {
  let end = 0
  for (let at = 0, inside = false; at <= text.length; inside = !inside) {
    const quote = text.indexOf('"', at)
    const stop = quote === -1 ? text.length : quote
    if (!inside) {
      const found = text.lastIndexOf("\n", stop - 1)
      if (found >= at && found < stop) end = found + 1
    }
    if (quote === -1) break
    at = quote + 1
  }
  return end
}

/** The offset after the first row. Looks at no more than that row, so that reading row by row takes a time linear in the text. */
export const firstRowEnd = (text: string): number => {
  let inside = false
  for (let from = 0; ; ) {
    const end = text.indexOf("\n", from)
    if (end === -1) return 0
    const line = text.slice(from, end)
    for (let quote = line.indexOf('"'); quote !== -1; quote = line.indexOf('"', quote + 1)) inside = !inside
    if (!inside) return end + 1
    from = end + 1
  }
}

/** The number of line ends. */
export const lineEnds = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** Finds the end of a row that comes in pieces, of which nothing is kept. */
export class RowSearch {
  /**
   * Where the pieces so far end: before a cell, in one without quotes, in quotes, after a quote within them, after a CR
   * behind them, or behind a quote where none may be.
   */
  #at: "before" | "plain" | "quoted" | "quote" | "cr" | "misplaced" = "before"

  get isInQuotes(): boolean {
    return this.#at === "quoted"
  }

  /** Whether a quote was where none may be. The row then ends with its line. */
  get isMisplaced(): boolean {
    return this.#at === "misplaced"
  }

  /** The offset after the row; 0 if it goes on behind this piece. */
  next(text: string): number {
    for (let at = 0; at < text.length; at++) {
      if (this.#at === "quoted") {
        at = text.indexOf('"', at)
        if (at === -1) return 0
        this.#at = "quote"
        continue
      }
      const code = text.charCodeAt(at)
      if (code === 10) return at + 1
      if (this.#at !== "misplaced") this.#at = this.#after(code)
    }
    return 0
  }

  #after(code: number): "before" | "plain" | "quoted" | "quote" | "cr" | "misplaced" {
    if (this.#at === "quote") return code === 34 ? "quoted" : code === 44 ? "before" : code === 13 ? "cr" : "misplaced"
    if (this.#at === "cr") return "misplaced"
    if (code === 34) return this.#at === "before" ? "quoted" : "misplaced"
    return code === 44 ? "before" : "plain"
  }
}
