import Papa, { type ParseConfig, type ParseError, type ParseResult } from "papaparse"

/** The supported column separators. */
const separators = [",", ";", "\t", "|"] as const

/** UTF-16 units that are parsed at a time, unless a row is longer. */
const fewUnits = 16 * 1024
/** Maximum UTF-16 units of a row: a longer one is split into several. */
const mostUnits = 1024 * 1024

type Cells = ReadonlyArray<string>

const read = (text: string, config: ParseConfig, isEnd: boolean): ParseResult<Array<string>> =>
  new Papa.Parser({ newline: "\n", ...config }).parse(text, 0, !isEnd)

const isFault = ({ code }: ParseError): boolean => code === "InvalidQuotes"

/**
 * The rows at the start of a csv text, and the length that they take. If a quote neither starts nor ends a cell, quotes
 * have no meaning: such a cell would otherwise extend over any number of lines to the next closing quote.
 *
 * @param isEnd whether the text contains its whole last row
 */
const parse = (text: string, delimiter: string, isEnd: boolean) => {
  const found = read(text, { delimiter }, isEnd)
  const isFaulty = found.errors.some((error) => isFault(error) && (isEnd || (error.row ?? 0) < found.data.length))
  const { data, meta } = isFaulty ? read(text, { delimiter, fastMode: true }, isEnd) : found
  return { rows: data, length: meta.cursor }
}

/** The separator that yields the most columns in the first row. */
export const separatorOf = (text: string): string => {
  const counts = separators.map((delimiter) => {
    const { data, errors } = read(text, { delimiter, preview: 1 }, true)
    return errors.some(isFault) ? 0 : (data[0]?.length ?? 0)
  })
  return separators[counts.indexOf(Math.max(...counts))]!
}

/**
 * Reads a csv text that arrives in parts. Line ends of Windows, Unix and old Macs may be mixed: all are read as line
 * feeds, also within quotes.
 */
export class CsvReader {
  readonly #reader: ReadableStreamDefaultReader<string>
  #separator: string | undefined
  #text = ""
  /** A carriage return whose line feed may be in the next part. */
  #open = ""
  #isEnd = false

  /** @param separator undefined if it is derived from the first row */
  constructor(reader: ReadableStreamDefaultReader<string>, separator?: string) {
    this.#reader = reader
    this.#separator = separator
  }

  async #load(): Promise<void> {
    const { value = "", done } = await this.#reader.read()
    const text = this.#open + value
    this.#open = !done && text.endsWith("\r") ? "\r" : ""
    this.#text += text.slice(0, text.length - this.#open.length).replaceAll(/\r\n?/g, "\n")
    this.#isEnd = done
  }

  /** The next rows; empty at the end. */
  async next(): Promise<ReadonlyArray<Cells>> {
    for (let units = fewUnits; ; units *= 2) {
      while (!this.#isEnd && this.#text.length < units) await this.#load()
      const text = this.#text.slice(0, units)
      const isAll = this.#isEnd && text.length === this.#text.length
      this.#separator ??= separatorOf(text)
      const { rows, length } = parse(text, this.#separator, isAll || units >= mostUnits)
      this.#text = this.#text.slice(length)
      if (rows.length > 0 || isAll) return rows
    }
  }
}
