import type { Batch, Event } from "../Node.ts"
import { columnsOf, csvHeader, csvRows, sampledRecords } from "./CsvEncoder.ts"

export const outputFormats = ["ndjson", "csv", "lines"] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Encodes batches as the text of a file. The text does not depend on the division into batches. */
export interface Encoder {
  readonly encode: (batch: Batch) => string
  readonly end: () => string
}

const perRecord = (line: (event: Event) => string): Encoder => ({
  encode: (batch) => {
    let text = ""
    for (const event of batch) text += `${line(event)}\n`
    return text
  },
  end: () => ""
})

const csv = (given: ReadonlyArray<string> | undefined): Encoder => {
  let columns = given
  let waiting: Array<Event> = []
  const begin = (): string => {
    columns ??= columnsOf(waiting.slice(0, sampledRecords))
    const text = columns.length === 0 ? "" : csvHeader(columns) + csvRows(columns, waiting)
    waiting = []
    return text
  }
  let begun = false
  return {
    encode: (batch) => {
      if (begun) return csvRows(columns ?? [], batch)
      for (const event of batch) waiting.push(event)
      if (columns === undefined && waiting.length < sampledRecords) return ""
      begun = true
      return begin()
    },
    end: () => (begun ? "" : begin())
  }
}

/** Makes the encoder of a format. Without `columns`, the fields of the first records are those of csv. */
export const encoder = (format: OutputFormat, columns?: ReadonlyArray<string>): Encoder => {
  switch (format) {
    case "ndjson":
      return perRecord((event) => JSON.stringify(event))
    case "csv":
      return csv(columns)
    case "lines":
      return perRecord((event) => {
        const message = event["message"]
        return typeof message === "string" ? message : JSON.stringify(event)
      })
  }
}

/** Encodes a batch independently of earlier ones; undefined for formats where that is impossible. */
export const batchText = (
  format: OutputFormat | "parquet",
  columns: ReadonlyArray<string> | undefined
): ((batch: Batch) => string) | undefined => {
  if (format === "parquet") return undefined
  if (format !== "csv") return encoder(format).encode
  return columns === undefined ? undefined : (batch) => csvRows(columns, batch)
}

/** The format of a file extension. */
export const formatOf = (extension: string): OutputFormat | undefined => {
  switch (extension) {
    case "ndjson":
    case "jsonl":
    case "json":
      return "ndjson"
    case "csv":
      return "csv"
    case "log":
    case "txt":
    case "lines":
      return "lines"
    default:
      return undefined
  }
}
