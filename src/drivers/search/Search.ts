import { Context, type Effect, type Stream } from "effect"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type {
  Encoded,
  EncodedOptions,
  Hit,
  IndexInfo,
  Key,
  NewDocument,
  ReadOptions,
  Row,
  RowsOptions,
  Written
} from "../../languages/query/IndexedDocument.ts"
import type { Query } from "../../languages/query/Query.ts"

type Unknown = NotFound | StorageUnreachable

/**
 * JSON documents that can be searched, apart for each tenant. A tenant's indices are those that were written under it,
 * and their names start with `<tenant>-`. Where a `pattern` is asked for it is a name, or has `*` and `?`, or several of
 * them with commas between; a plain name that is not one of the tenant's indices is `NotFound`, a pattern may match none.
 *
 * Results come by `@timestamp`, then id, and are those of one moment: what is written meanwhile is not seen.
 */
export class Search extends Context.Service<
  Search,
  {
    readonly indices: (tenant: string) => Effect.Effect<ReadonlyArray<IndexInfo>, StorageUnreachable>
    /** The names of the tenant's indices that the pattern stands for, in order. */
    readonly resolve: (tenant: string, pattern: string) => Effect.Effect<ReadonlyArray<string>, Unknown>
    /** Keeps the documents durably, and makes the index when it is not there. Writing them again changes nothing. */
    readonly write: (
      tenant: string,
      index: string,
      documents: ReadonlyArray<NewDocument>
    ) => Effect.Effect<Written, Unknown>
    readonly count: (tenant: string, pattern: string, query: Query) => Effect.Effect<number, Unknown>
    /** All documents that fit. A backend that cannot give all of them fails. */
    readonly read: (tenant: string, pattern: string, query: Query, options?: ReadOptions) => Stream.Stream<Hit, Unknown>
    /** The first documents after a key, at most `limit`; costs the same wherever the key is. */
    readonly page: (
      tenant: string,
      pattern: string,
      query: Query,
      span: { readonly limit: number; readonly after?: Key | undefined }
    ) => Effect.Effect<ReadonlyArray<Hit>, Unknown>
    /** Fields of all documents that fit, in the same order as `read`. */
    readonly rows: (tenant: string, pattern: string, query: Query, options: RowsOptions) => Stream.Stream<Row, Unknown>
    /** What encoders make of fields of all documents that fit, in the same order. */
    readonly encoded: (
      tenant: string,
      pattern: string,
      query: Query,
      options: EncodedOptions
    ) => Stream.Stream<Encoded, Unknown>
    /** Removes the index with its documents. What reads them already reads them to the end. */
    readonly drop: (tenant: string, index: string) => Effect.Effect<void, Unknown>
    /** Removes the documents whose `@timestamp` is before this time (epoch milliseconds). */
    readonly expire: (tenant: string, index: string, before: number) => Effect.Effect<void, Unknown>
  }
>()("flow/search/Search") {}
