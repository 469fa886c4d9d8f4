import { Context, Data, type Effect, type Stream } from "effect"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Aggregation } from "../../languages/query/aggregation/Aggregation.ts"
import type { Answer } from "../../languages/query/aggregation/Answers.ts"
import type { TooManyBuckets } from "../../languages/query/aggregation/Grouping.ts"
import type { FieldType } from "../../languages/query/FieldTypes.ts"
import type {
  EncodedDocuments,
  EncodedOptions,
  Hit,
  IndexInfo,
  Key,
  NewDocument,
  ReadOptions,
  Row,
  RowsOptions,
  WriteResult
} from "../../languages/query/IndexedDocument.ts"
import type { Query } from "../../languages/query/Query.ts"
import type { SortKey, SortPosition, SortValue } from "../../languages/query/Sort.ts"

/** The limits of a page. It has at least one document if there is one. */
export interface PageSpan {
  readonly limit: number
  /** Number of bytes of documents after which the page ends. */
  readonly bytes: number
  readonly after?: Key | undefined
}

export interface Page {
  readonly hits: ReadonlyArray<Hit>
  /** Whether documents follow the last one. */
  readonly more: boolean
}

/** A document in another order, with the values that order it. */
export interface SortedHit extends Hit {
  readonly sort: ReadonlyArray<SortValue>
}

export interface SortedPage {
  readonly hits: ReadonlyArray<SortedHit>
  readonly more: boolean
}

/** The order and the limits of a page: at most `limit` documents after `after`, from the `from`-th of these on. */
export interface SortedSpan extends Omit<PageSpan, "after"> {
  readonly sort: ReadonlyArray<SortKey>
  readonly from: number
  readonly after?: SortPosition | undefined
}

/** Fields that no document has, and fields of some documents. */
export interface MissingFields {
  readonly missing: ReadonlyArray<string>
  readonly known: ReadonlyArray<string>
}

/** A field that documents have or had, with the types of its values. */
interface Field {
  readonly name: string
  readonly types: ReadonlyArray<FieldType>
}

/** The fields of indices. */
export interface Fields {
  /** By name; those that only hold other fields are left out. */
  readonly fields: ReadonlyArray<Field>
  /** Whether there are fields beyond these. */
  readonly more: boolean
}

type Unknown = NotFound | StorageUnreachable

/** A pattern covers more indices than can be searched together. The detail is for the user. */
export class TooManyIndices extends Data.TaggedError("TooManyIndices")<{ readonly detail: string }> {}

type Unreadable = Unknown | TooManyIndices

/**
 * Searchable JSON documents, separate for each tenant. A tenant's indices are those written under it; their names start
 * with `<tenant>-`. A `pattern` is a name, a name with `*` and `?`, or several of these separated by commas. A plain
 * name that is not one of the tenant's indices fails with `NotFound`; a pattern may match no index.
 *
 * Results are ordered by `@timestamp`, then id, and come from one snapshot: later writes are not visible. Streams that
 * lose their connection go on in a new snapshot after their last document, and wait for a database that is away; they
 * fail with `NotFound` when one of their indices has been removed meanwhile.
 */
export class Search extends Context.Service<
  Search,
  {
    readonly indices: (tenant: string) => Effect.Effect<ReadonlyArray<IndexInfo>, StorageUnreachable>
    /** The sorted names of the tenant's indices that match the pattern. */
    readonly resolve: (tenant: string, pattern: string) => Effect.Effect<ReadonlyArray<string>, Unknown>
    /** Stores the documents durably and creates the index if it does not exist. Idempotent. */
    readonly write: (
      tenant: string,
      index: string,
      documents: ReadonlyArray<NewDocument>
    ) => Effect.Effect<WriteResult, Unknown>
    readonly count: (tenant: string, pattern: string, query: Query) => Effect.Effect<number, Unreadable>
    /** All matching documents. Fails if the backend cannot return all of them. */
    readonly read: (
      tenant: string,
      pattern: string,
      query: Query,
      options?: ReadOptions
    ) => Stream.Stream<Hit, Unreadable>
    /** At most `limit` documents after a key. The cost does not depend on the position of the key. */
    readonly page: (tenant: string, pattern: string, query: Query, span: PageSpan) => Effect.Effect<Page, Unreadable>
    /** Like `page`, in the order of any fields; equal documents are ordered by id, then index. */
    readonly sorted: (
      tenant: string,
      pattern: string,
      query: Query,
      span: SortedSpan
    ) => Effect.Effect<SortedPage, Unreadable>
    /** The answers of aggregations over all matching documents, by name, as Elasticsearch writes them. */
    readonly aggregate: (
      tenant: string,
      pattern: string,
      query: Query,
      aggregations: ReadonlyArray<Aggregation>
    ) => Effect.Effect<Answer, Unreadable | TooManyBuckets>
    /** Which of these fields no document of the indices has. A field that takes long to look for is not missing. */
    readonly missingFields: (
      tenant: string,
      pattern: string,
      fields: ReadonlyArray<string>
    ) => Effect.Effect<MissingFields, Unknown>
    /** The fields that the documents of the indices have, as far as they are known. */
    readonly fields: (tenant: string, pattern: string) => Effect.Effect<Fields, Unknown>
    /** Fields of all matching documents, in the order of `read`. */
    readonly rows: (
      tenant: string,
      pattern: string,
      query: Query,
      options: RowsOptions
    ) => Stream.Stream<Row, Unreadable>
    /** Encoded fields of all matching documents, in the order of `read`. */
    readonly encoded: (
      tenant: string,
      pattern: string,
      query: Query,
      options: EncodedOptions
    ) => Stream.Stream<EncodedDocuments, Unreadable>
    /** Deletes the index with its documents. Reads that have begun can finish. */
    readonly drop: (tenant: string, index: string) => Effect.Effect<void, Unknown>
    /** Deletes the documents whose `@timestamp` is before this time in epoch milliseconds. */
    readonly expire: (tenant: string, index: string, before: number) => Effect.Effect<void, Unknown>
  }
>()("flow/search/Search") {}
