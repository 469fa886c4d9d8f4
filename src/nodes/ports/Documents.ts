import type {
  EncodedDocuments,
  EncodedOptions,
  ReadOptions,
  Row,
  RowsOptions,
  WriteResult
} from "../../languages/query/IndexedDocument.ts"
import type { Query } from "../../languages/query/Query.ts"

/** A document to write; `source` is an object. */
export interface DocumentRecord {
  readonly id?: string
  readonly source: Readonly<Record<string, unknown>>
}

/** A tenant's indices for nodes. Indices of other tenants do not exist here. Rejects with a message for users. */
export interface Documents {
  /** The indices that a pattern matches. */
  readonly indices: (pattern: string) => Promise<ReadonlyArray<string>>
  /** The documents as JSON texts, ordered by time and id. */
  readonly read: (pattern: string, query: Query, options?: ReadOptions) => AsyncIterable<ReadonlyArray<string>>
  /** Fields of the documents, in that order. */
  readonly rows: (pattern: string, query: Query, options: RowsOptions) => AsyncIterable<ReadonlyArray<Row>>
  /** The encoded documents, in that order. */
  readonly encoded: (
    pattern: string,
    query: Query,
    options: EncodedOptions
  ) => AsyncIterable<ReadonlyArray<EncodedDocuments>>
  /** Resolves when the documents are durable. Repeating a write changes nothing if the documents have ids. */
  readonly write: (index: string, documents: ReadonlyArray<DocumentRecord>) => Promise<WriteResult>
}
