import type { Event } from "../Node.ts"
import { firstRowEnd, lastRowEnd, lineEnds, parseRows, type Row, RowSearch } from "./CsvRows.ts"
import { keptLength, maxLineLength } from "./LineSplitter.ts"

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

const longer = `has more than ${maxLineLength} characters`

/** The beginning of the first line of a row, without its end. */
const beginningOf = (text: string): string => {
  const end = text.indexOf("\n")
  return (end === -1 ? text : text.slice(0, end)).slice(0, keptLength).replace(/\r$/, "")
}

/** A row over the limit that is being skipped. */
interface Skipped {
  readonly event: Event
  readonly line: number
  readonly search: RowSearch
}

/**
 * RFC 4180 with a header row, line ends LF or CRLF. All values are texts. A row with more or fewer cells than the
 * header, or with more than {@link maxLineLength} characters, fails.
 */
export class CsvReader {
  readonly #fail: (event: Event, reason: string) => void
  readonly #sourceAt: ((line: number) => Event) | undefined
  #names: Row | undefined
  /** The text since the end of the last row. */
  #waiting = ""
  /** Length of the text that was already searched for a row end. */
  #looked = 0
  #skipped: Skipped | undefined
  /** Number of rows so far, including the header. */
  #rows = 0
  /** The number of the line at which the next row begins, from 1; in a skipped row, the number of its last line so far. */
  line = 1

  /** `sourceAt`: members for a row that begins at a line. */
  constructor(fail: (event: Event, reason: string) => void, sourceAt?: (line: number) => Event) {
    this.#fail = fail
    this.#sourceAt = sourceAt
  }

  push(text: string, into: Array<Event>): void {
    this.#waiting += this.#skipped === undefined ? text : this.#skip(this.#skipped, text)
    // Avoids searching a long row again for each chunk.
    if (this.#waiting.length < 2 * this.#looked && this.#waiting.length <= maxLineLength) return
    this.#drain(into)
    // One more than the limit, because the last character may be the CR of a CRLF.
    while (this.#waiting.length > maxLineLength + 1) {
      const text = this.#waiting
      const search = new RowSearch()
      const end = search.next(text)
      // A quote that was not closed, and another one behind it: only its line is lost.
      if ((search.isMisplaced || end > 0) && text.includes("\n")) this.#waiting = this.#giveUp(text)
      else {
        this.#skipped = { event: this.#failed(text), line: this.line, search }
        this.line += lineEnds(text)
        this.#waiting = ""
      }
      this.#drain(into)
    }
    this.#looked = this.#waiting.length
  }

  /** Reads the complete rows of the waiting text. */
  #drain(into: Array<Event>): void {
    const end = lastRowEnd(this.#waiting)
    if (end > 0) this.#waiting = this.#read(this.#waiting.slice(0, end), into) + this.#waiting.slice(end)
  }

  end(into: Array<Event>): void {
    if (this.#skipped !== undefined) this.#endSkipped(this.#skipped, "the end")
    for (let text = this.#waiting; text !== ""; ) text = this.#read(text, into)
    this.#waiting = ""
  }

  /** The text behind the row that is being skipped. */
  #skip(skipped: Skipped, text: string): string {
    const end = skipped.search.next(text)
    this.line += lineEnds(end === 0 ? text : text.slice(0, end))
    if (end === 0) return ""
    this.#endSkipped(skipped, `line ${this.line - 1}`)
    return text.slice(end)
  }

  #endSkipped({ event, line, search }: Skipped, until: string): void {
    this.#skipped = undefined
    const row = `row ${event["row"]}, which begins on line ${line},`
    this.#fail(
      event,
      search.isInQuotes || search.isMisplaced
        ? `${row} has a quote that is misplaced or not closed: all up to ${until} is lost with it`
        : `${row} ${longer}`
    )
  }

  /** The record of a row that is not read. */
  #failed(text: string): Event {
    return { message: beginningOf(text), row: ++this.#rows, ...this.#source() }
  }

  /**
   * An unclosed quote would consume the rest of the text, so only its line is lost. Returns the text after that line.
   */
  #giveUp(text: string): string {
    const event = this.#failed(text)
    this.#fail(event, `row ${event["row"]} has a quote that is misplaced or not closed`)
    this.line++
    const end = text.indexOf("\n")
    return end === -1 ? "" : text.slice(end + 1)
  }

  /** Reads whole rows. Returns the text that is left when a faulty quote made the row ends uncertain. */
  #read(text: string, into: Array<Event>): string {
    // The rows of a text that is read as a whole do not say on which lines they are, nor how long they are.
    if (this.#sourceAt !== undefined || text.length > maxLineLength) return this.#readOneByOne(text, into)
    try {
      for (const row of parseRows(text)) this.#take(row, into)
      this.line += lineEnds(text)
      return ""
    } catch {
      return this.#readOneByOne(text, into)
    }
  }

  #readOneByOne(text: string, into: Array<Event>): string {
    let rest = text
    while (rest !== "") {
      const end = firstRowEnd(rest)
      // The quotes were even up to the end of the text; from here on they are not.
      if (end === 0 && rest.length < text.length) return rest
      const piece = end === 0 ? rest : rest.slice(0, end)
      let rows: ReadonlyArray<Row>
      try {
        rows = parseRows(piece)
      } catch {
        rest = this.#giveUp(rest)
        continue
      }
      if (piece.length > maxLineLength && piece.replace(/\r?\n$/, "").length > maxLineLength) {
        const event = this.#failed(piece)
        this.#fail(event, `row ${event["row"]}, which begins on line ${this.line}, ${longer}`)
      } else for (const row of rows) this.#take(row, into)
      this.line += lineEnds(piece)
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
