import { parse } from "csv-parse/sync"
import { Unreadable } from "../ParsingNode.ts"
import { quotedCells } from "./QuotedCells.ts"

/** The values of one csv record. Throws {@link Unreadable}. */
export const cellsOf = (separator: string, quote: string): ((text: string) => ReadonlyArray<string>) => {
  const options = {
    delimiter: separator,
    quote: quote === "" ? null : quote,
    escape: quote === "" ? null : quote,
    relax_column_count: true
  }
  const isPlain = (text: string) =>
    (quote === "" || !text.includes(quote)) && !text.includes("\n") && !text.includes("\r")
  return (text) => {
    // The csv parser has a high cost per call.
    if (isPlain(text)) return text.split(separator)
    const cells = quotedCells(text, separator, quote)
    if (cells !== undefined) return cells
    try {
      const records = parse(text, options)
      if (records.length === 1) return records[0]!
    } catch (error) {
      throw new Unreadable(`not valid csv: ${error instanceof Error ? error.message : "unknown error"}`)
    }
    throw new Unreadable("the field holds more than one csv record")
  }
}
