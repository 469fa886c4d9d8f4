import type { Reference } from "../protocol/References.ts"

// What a node can do besides running, as data: runtimes and validation ask for it in place of the node's type.

/** What a file of records holds. */
export type FileFormat = "lines" | "ndjson" | "csv" | "parquet"

/** Formats that can be cut at line ends, without regard to what came before. */
export type BlockFormat = "lines" | "ndjson"

/** Whole lines of a file; the last one of the file may lack its end. */
export interface Block {
  /** The bytes, in as many pieces as they came in: a copy of all would cost more than cutting them. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** Whether the file begins here, where it may have a byte order mark. */
  readonly isFirst: boolean
}

/** What a run needs beyond what every run gets: `search` is the tenant's indices, `patterns` its grok patterns. */
export type Need = "search" | "patterns"

/** A file that a node writes whole: a second node with the same target would replace it. */
export interface Target {
  /** The execution's archive, or the tenant's data area. */
  readonly place: "archive" | "data"
  /** Name of the entry, or path below the data area. */
  readonly name: string
  /** The setting that names the file; absent where it is named after the component. */
  readonly setting?: string
}

/** What the analytics engine does in place of a node. */
export type AnalyticsWork =
  /** Reads files: those that a glob names, or a stored one. Without `format`, each by its name. */
  | { readonly kind: "read"; readonly source: string | Reference; readonly format: FileFormat | undefined }
  /** Publishes what a SQL statement gives. */
  | { readonly kind: "query"; readonly statement: string }
  /** Writes all records to a file; `columns` are those of a csv. */
  | {
      readonly kind: "write"
      readonly target: Target
      readonly format: FileFormat
      readonly columns: ReadonlyArray<string> | undefined
    }
  /** Prints the first `limit` records, as a table or as lines of JSON. */
  | { readonly kind: "print"; readonly limit: number; readonly asTable: boolean }
