import type { Encoding } from "../languages/Encoding.ts"
import type { Reference } from "../protocol/References.ts"

// What a node can do besides running, as data: runtimes and validation ask for capabilities instead of node types.

/** The content of a file of records. */
export type FileFormat = "lines" | "ndjson" | "csv" | "parquet"

/** Formats that can be cut at any line end, independent of earlier lines. */
export type BlockFormat = "lines" | "ndjson"

/** Whole lines of a file. Only the last line of the file may lack its end. */
export interface Block {
  /** The bytes as received: joining them would cost more than splitting them into lines. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** Whether this is the beginning of the file, which may have a byte order mark. */
  readonly isFirst: boolean
}

/** What a run needs in addition: `search` is the tenant's indices, `patterns` its grok patterns. */
export type Need = "search" | "patterns"

/** A file that a node writes as a whole: a second node with the same target would replace it. */
export interface Target {
  /** The execution's archive, or the tenant's data area. */
  readonly place: "archive" | "data"
  /** Name of the entry, or path below the data area. */
  readonly name: string
  /** The setting that names the file; absent when the component does. */
  readonly setting?: string
}

/** The SQL form of a node in analytics. */
export type AnalyticsWork =
  /** Reads the files that match a glob, or a stored file. Without `format`, each file's name decides. */
  | {
      readonly kind: "read"
      readonly source: string | Reference
      readonly format: FileFormat | undefined
      readonly encoding: Encoding
    }
  /**
   * Takes the records of the node as it runs in stream. `columns` are those that it has in any case, also without a
   * record, with the types of DuckDB.
   */
  | { readonly kind: "records"; readonly columns: Readonly<Record<string, string>> }
  /** Publishes the result of a SQL statement. */
  | { readonly kind: "query"; readonly statement: string }
  /** Writes all records to a file; `columns` are for csv. */
  | {
      readonly kind: "write"
      readonly target: Target
      readonly format: FileFormat
      readonly columns: ReadonlyArray<string> | undefined
    }
  /** Prints the first `limit` records, as a table or as JSON lines. */
  | { readonly kind: "print"; readonly limit: number; readonly asTable: boolean }
