import Papa, { type ParseConfig, type ParseError, type ParseResult } from "papaparse"

/** The separators that files of columns have. */
const separators = [",", ";", "\t", "|"] as const

/** UTF-16 units that are parsed at once, unless a row has more. */
const fewUnits = 16 * 1024
/** UTF-16 units of a row: a longer one is cut into several. */
const mostUnits = 1024 * 1024

type Cells = ReadonlyArray<string>

const read = (text: string, config: ParseConfig, isEnd: boolean): ParseResult<Array<string>> =>
  new Papa.Parser({ newline: "\n", ...config }).parse(text, 0, !isEnd)

const isFault = ({ code }: ParseError): boolean => code === "InvalidQuotes"

/**
 * The rows at the begin of a csv text, and how much of it they are. Where a quote neither begins nor ends a cell, quotes
 * are taken as they are: such a cell would go on until a quote that ends one, over any number of lines.
 *
 * @param isEnd whether the text has all of its last row
 */
const parse = (text: string, delimiter: string, isEnd: boolean) => {
  const found = read(text, { delimiter }, isEnd)
  const isFaulty = found.errors.some((error) => isFault(error) && (isEnd || (error.row ?? 0) < found.data.length))
  const { data, meta } = isFaulty ? read(text, { delimiter, fastMode: true }, isEnd) : found
  return { rows: data, length: meta.cursor }
}

/** The separator that makes most columns of the first row. */
export const separatorOf = (text: string): string => {
  const counts = separators.map((delimiter) => {
    const { data, errors } = read(text, { delimiter, preview: 1 }, true)
    return errors.some(isFault) ? 0 : (data[0]?.length ?? 0)
  })
  return separators[counts.indexOf(Math.max(...counts))]!
}

/**
 * Reads a csv text that comes in parts. A line may end as on Windows, on Unix or on old Macs, even in one file: all of
 * them are read as a line feed, in quotes too.
 */
export class CsvReader {
  readonly #reader: ReadableStreamDefaultReader<string>
  #separator: string | undefined
  #text = ""
  /** A carriage return whose line feed may be in the next part. */
  #open = ""
  #isEnd = false

  /** @param separator undefined where the first row tells it */
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

  /** The next rows; none at the end. */
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
