/** A document to write. `source` is an object, or its JSON text, which keeps all digits of numbers. */
export interface NewDocument {
  /** 1 to 512 bytes. A document replaces another one of its index with the same id. Absent: a new id is generated. */
  readonly id?: string
  readonly source: Readonly<Record<string, unknown>> | string
}

/** The result of a write. */
export interface WriteResult {
  readonly written: number
  /** Documents that cannot be stored, by their position in the batch. */
  readonly rejected: ReadonlyArray<{ readonly at: number; readonly reason: string }>
}

/** The position of a document in the result order: by `@timestamp`, then id, then index. */
export interface Key {
  /** Epoch milliseconds, or `latest` when the document has no date. */
  readonly at: string
  readonly id: string
  readonly index: string
}

/** A document that matches. `source` is its JSON text. */
export interface Hit extends Key {
  readonly source: string
}

/** Options for reading the documents that match a query. */
export interface ReadOptions {
  /** Only documents after this key. */
  readonly after?: Key | undefined
  /** Receives the number of documents in the snapshot that is read, some time before the last one. */
  readonly counted?: ((total: number) => void) | undefined
}

/** The format of rows. */
export interface RowsOptions extends ReadOptions {
  readonly fields: ReadonlyArray<string>
  /** `text`: texts unchanged, all other values as JSON. `json`: all values as JSON. Missing values are null in both. */
  readonly as: "text" | "json"
}

/**
 * Encodes documents to bytes, a line for each. The concatenated output of several encoders equals that of one.
 */
export interface LineEncoder {
  /**
   * Adds a document by the stored texts of so many fields, which begin at `at`: each is in UTF-8 and stands behind its
   * length, a signed number of 32 bits, big-endian, which is -1 for a missing one. The bytes may be changed afterwards.
   */
  readonly add: (bytes: Uint8Array, at: number, fields: number) => void
  /** Number of bytes that are ready to be taken. */
  readonly size: number
  readonly take: () => Uint8Array
}

/** How rows of texts are encoded, each independently. */
export interface RowEncoding {
  readonly fields: ReadonlyArray<string>
  readonly encoder: () => LineEncoder
}

/** Options for reading documents as encoded lines. */
export interface EncodedOptions extends RowEncoding, Pick<ReadOptions, "counted"> {}

/** Some encoded documents, about 512 KiB. */
export interface EncodedDocuments {
  readonly bytes: Uint8Array
  readonly documents: number
}

/** The values of the requested fields of one document, by the requested names. */
export type Row = Readonly<Record<string, string | null>>

/** The properties of an index. */
export interface IndexInfo {
  readonly name: string
  /** An estimate above about a million. */
  readonly documents: number
  /** Size on disk, including PostgreSQL's own indexes. */
  readonly bytes: number
  /** First and last `@timestamp`, if any document has one. */
  readonly from: string | null
  readonly to: string | null
}

/** The position of documents without a date: after all others. The largest 64-bit number. */
export const latest = "9223372036854775807"
