import type { Encoding } from "../languages/Encoding.ts"
import type { Reference } from "../protocol/References.ts"
import type { Storage } from "./ports/NodeFiles.ts"

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
  /** The execution's archive, or files: the tenant's data area unless `storage` says otherwise. */
  readonly place: "archive" | "data"
  readonly storage?: Storage | undefined
  /** Name of the entry, or path below the data area. */
  readonly name: string
  /** The setting that names the file; absent when the component does. */
  readonly setting?: string
}

/** A root that a node names in its setting `root`. */
export interface RootUse {
  readonly name: string
  readonly writes: boolean
}

/** The SQL form of a node in analytics. */
export type AnalyticsWork =
  /** Reads the files that match a glob, or a stored file. Without `format`, each file's name decides. */
  | {
      readonly kind: "read"
      readonly source: string | Reference
      readonly format: FileFormat | undefined
      readonly encoding: Encoding
      readonly storage?: Storage | undefined
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

/** An alternative of a list in a node's settings, such as a pattern. */
export interface Alternative {
  /** Path inside `settings`. */
  readonly path: ReadonlyArray<string | number>
  readonly text: string
  readonly fits: (event: Readonly<Record<string, unknown>>) => boolean
}

/** The alternatives of a node, in their order. */
export interface Alternatives {
  readonly list: ReadonlyArray<Alternative>
  /** Whether a record takes only the first one that fits. */
  readonly isFirst: boolean
}
/**
 * What SQL can know about a node's records before a run: the query that produces them, their column names, or the files
 * that they are read from, as a glob in the tenant's configuration.
 */
export type Relation =
  | { readonly statement: string }
  | { readonly columns: ReadonlyArray<string> }
  | { readonly path: string; readonly format?: string }
