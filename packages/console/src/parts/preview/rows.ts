import { preview as t } from "../../texts/en.ts"
import { flattened } from "../values.ts"
import { CsvReader } from "./csv.ts"
import type { Kind } from "./kinds.ts"

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** A row of a file: its number from 1, and its cells by column, or its text. */
export interface Row {
  readonly number: number
  readonly cells: ReadonlyMap<string, unknown>
  /** The line, if there are no cells. */
  readonly text?: string
}

/** A file that is read row by row. */
export interface Rows {
  /** The next rows: at most `count`, fewer if they are long. */
  readonly next: (count: number) => Promise<ReadonlyArray<Row>>
  /** Whether it is known that there are no more rows. */
  readonly isEnd: () => boolean
  /** The column names that the file declares, as far as it has been read. */
  readonly columns?: () => ReadonlyArray<string>
  /** The number of rows, if the file declares it. */
  readonly total?: number
  /** Releases the unread rest. */
  readonly close: () => void
}

/** Maximum UTF-16 units of a line: a longer one is split into several. */
const mostUnits = 1024 * 1024
/** UTF-16 units after which a call returns no more rows. */
const unitsAtOnce = 512 * 1024

/** The decompressed bytes of a file. */
export const unpacked = (bytes: Bytes, isGzip: boolean): Bytes =>
  isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes

/** Splits a text that arrives in parts at its line ends. */
class Lines {
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ""
  #isEnd = false

  constructor(reader: ReadableStreamDefaultReader<string>) {
    this.#reader = reader
  }

  async next(): Promise<string | undefined> {
    let from = 0
    for (;;) {
      const end = this.#text.indexOf("\n", from)
      if (end !== -1) {
        const line = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 1)
        return line.endsWith("\r") ? line.slice(0, -1) : line
      }
      if (this.#isEnd) {
        const rest = this.#text
        this.#text = ""
        return rest === "" ? undefined : rest
      }
      // A line without an end is cut, to limit the memory that it takes.
      if (this.#text.length > mostUnits) {
        const cut = this.#text.slice(0, mostUnits)
        this.#text = this.#text.slice(mostUnits)
        return cut
      }
      from = this.#text.length
      const { value, done } = await this.#reader.read()
      if (done) this.#isEnd = true
      else this.#text += value
    }
  }
}

const jsonRow = (line: string, number: number): Row => {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { number, cells: new Map(flattened(value)), text: line }
    }
  } catch {
    // Shown unchanged.
  }
  return { number, cells: new Map(), text: line }
}

const lineRows = (reader: ReadableStreamDefaultReader<string>, isJson: boolean): Pick<Rows, "next" | "isEnd"> => {
  const lines = new Lines(reader)
  let number = 0
  let isEnd = false
  const next = async (count: number) => {
    const rows: Array<Row> = []
    let units = 0
    while (rows.length < count && units < unitsAtOnce) {
      const line = await lines.next()
      isEnd = line === undefined
      if (line === undefined) break
      units += line.length
      if (isJson && line === "") continue
      number++
      rows.push(isJson ? jsonRow(line, number) : { number, cells: new Map(), text: line })
    }
    return rows
  }
  return { next, isEnd: () => isEnd }
}

const csvRows = (reader: ReadableStreamDefaultReader<string>, separator?: string): Omit<Rows, "close"> => {
  const csv = new CsvReader(reader, separator)
  let head: ReadonlyArray<string> | undefined
  let waiting: ReadonlyArray<ReadonlyArray<string>> = []
  let at = 0
  let number = 0
  let isEnd = false
  const one = async (): Promise<ReadonlyArray<string> | undefined> => {
    for (;;) {
      if (at === waiting.length) {
        waiting = await csv.next()
        at = 0
        if (waiting.length === 0) return undefined
      }
      const cells = waiting[at++]!
      if (cells.length > 1 || cells[0] !== "") return cells
    }
  }
  const next = async (count: number) => {
    const rows: Array<Row> = []
    let units = 0
    // One of two columns of the same name would hide the other.
    head ??= ((await one()) ?? []).map((name, place, all) => {
      if (name === "") return t.column(place + 1)
      return all.indexOf(name) === place ? name : `${name} (${place + 1})`
    })
    while (rows.length < count && units < unitsAtOnce) {
      const cells = await one()
      isEnd = cells === undefined
      if (cells === undefined) break
      number++
      for (const cell of cells) units += cell.length
      const named = cells.map((cell, place) => [head?.[place] ?? t.column(place + 1), cell] as const)
      rows.push({ number, cells: new Map(named) })
    }
    return rows
  }
  return { next, isEnd: () => isEnd, columns: () => head ?? [] }
}

/** The rows of a text file: lines if its kind has no columns. */
export const textRows = (bytes: Bytes, kind: Kind, isGzip: boolean): Rows => {
  const reader = unpacked(bytes, isGzip).pipeThrough(new TextDecoderStream()).getReader()
  const rows =
    kind === "csv" || kind === "tsv"
      ? csvRows(reader, kind === "tsv" ? "\t" : undefined)
      : lineRows(reader, kind === "ndjson")
  return { ...rows, close: () => void reader.cancel().catch(() => {}) }
}
