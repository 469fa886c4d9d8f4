/** A document to write. `source` is an object, or its JSON text, whose numbers then keep all their digits. */
export interface NewDocument {
  /** 1 to 512 bytes. A document with the id of another of its index takes that one's place. Absent: a new id is made. */
  readonly id?: string
  readonly source: Readonly<Record<string, unknown>> | string
}

/** What was written. */
export interface Written {
  readonly written: number
  /** Documents that cannot be kept, by their place in the batch. */
  readonly rejected: ReadonlyArray<{ readonly at: number; readonly reason: string }>
}

/** Where a document stands in the order of all results: by `@timestamp`, then id, then index. */
export interface Key {
  /** Epoch milliseconds, or `latest` when the document has no date. */
  readonly at: string
  readonly id: string
  readonly index: string
}

/** A document that was found. `source` is its JSON text. */
export interface Hit extends Key {
  readonly source: string
}

/** What is read of the documents that a query finds. */
export interface ReadOptions {
  /** Only what stands after this. */
  readonly after?: Key | undefined
  /** Is told how many documents there are to read, in the moment that is read: some time before the last one. */
  readonly counted?: ((total: number) => void) | undefined
}

/** What rows of fields look like. */
export interface RowsOptions extends ReadOptions {
  readonly fields: ReadonlyArray<string>
  /** `text`: texts as they are, all else as JSON. `json`: everything as JSON. Missing values are null in both. */
  readonly as: "text" | "json"
}

/**
 * Makes bytes of documents. Each comes as a line: the stored texts of fields, nothing for those that are missing, in
 * UTF-8 with the `separator` of `Storable.ts` between. Several encoders make what one would make, put together.
 */
export interface LineEncoder {
  readonly add: (line: Uint8Array) => void
  /** Bytes that are there to take. */
  readonly size: number
  readonly take: () => Uint8Array
}

/** What is asked of the documents that are encoded. */
export interface EncodedOptions extends Pick<ReadOptions, "counted"> {
  readonly fields: ReadonlyArray<string>
  readonly encoder: () => LineEncoder
}

/** What became of some documents, about 512 KiB of it. */
export interface Encoded {
  readonly bytes: Uint8Array
  readonly documents: number
}

/** The values of the asked fields of one document, by the names that were asked for. */
export type Row = Readonly<Record<string, string | null>>

/** What is known of an index. */
export interface IndexInfo {
  readonly name: string
  /** Beyond a million or so this is an estimate. */
  readonly documents: number
  /** What it takes on the disk, its own indexes included. */
  readonly bytes: number
  /** First and last `@timestamp`, when documents have one. */
  readonly from: string | null
  readonly to: string | null
}

/** The place in the order of documents without a date: after all others. The largest number of 64 bits. */
export const latest = "9223372036854775807"
