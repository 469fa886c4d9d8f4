import type {
  Encoded,
  EncodedOptions,
  ReadOptions,
  Row,
  RowsOptions,
  Written
} from "../languages/query/IndexedDocument.ts"
import type { Query } from "../languages/query/Query.ts"

/** A document to write; `source` is an object. */
export interface DocumentRecord {
  readonly id?: string
  readonly source: Readonly<Record<string, unknown>>
}

/**
 * The tenant's indices, as nodes reach them. Names that are not the tenant's do not exist. Rejects with what to tell
 * users.
 */
export interface Documents {
  /** The names that a pattern stands for. */
  readonly indices: (pattern: string) => Promise<ReadonlyArray<string>>
  /** JSON texts of the documents, by time and id. */
  readonly read: (pattern: string, query: Query, options?: ReadOptions) => AsyncIterable<ReadonlyArray<string>>
  /** Fields of the documents, in the same order. */
  readonly rows: (pattern: string, query: Query, options: RowsOptions) => AsyncIterable<ReadonlyArray<Row>>
  /** What encoders make of the documents, in the same order. */
  readonly encoded: (pattern: string, query: Query, options: EncodedOptions) => AsyncIterable<ReadonlyArray<Encoded>>
  /** Durable when it resolves. Writing the same again changes nothing where documents have ids. */
  readonly write: (index: string, documents: ReadonlyArray<DocumentRecord>) => Promise<Written>
}
