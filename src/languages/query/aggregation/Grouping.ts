import { Data, type Effect } from "effect"
import type { Query } from "../Query.ts"
import type { TermKey } from "./Aggregation.ts"

/** What one pass over the documents of a group computes. `count` counts numbers, `values` values of any kind. */
export interface Measure {
  readonly field: string
  readonly of: "count" | "values" | "sum" | "min" | "max" | "avg" | "cardinality" | "percentiles"
  readonly percents?: ReadonlyArray<number>
}

/** By what documents are grouped. */
export type GroupBy =
  | { readonly _tag: "terms"; readonly field: string; readonly missing: TermKey | undefined }
  | { readonly _tag: "dates"; readonly field: string; readonly starts: ReadonlyArray<number> }

/** The key of a group: a term, or the number of a start. */
export type GroupKey = TermKey | number

export interface GroupRequest {
  readonly query: Query
  /** At most two. */
  readonly by: ReadonlyArray<GroupBy>
  readonly measures: ReadonlyArray<Measure>
  /** The first key, or the first keys, that groups may have, when others are not asked for. All are equally many. */
  readonly within: ReadonlyArray<ReadonlyArray<GroupKey>> | undefined
  /** For each key before the last one, only so many groups, in this order. `by` names a measure by its place. */
  readonly top:
    | {
        readonly size: number
        readonly by: "count" | "key" | number
        readonly descending: boolean
        readonly least: number
      }
    | undefined
  readonly room: Room
}

/** The bytes that the groups of a request may take in an answer: `each` besides the key. */
interface Room {
  readonly bytes: number
  readonly each: number
}

export interface Group {
  readonly keys: ReadonlyArray<GroupKey>
  /** Not counted beside `cardinality` and `percentiles`, which are asked for alone. */
  readonly documents: number
  /** Documents of all groups with the same keys before the last one. */
  readonly total: number
  /** A number for each measure, or null for none; a list for percentiles. */
  readonly values: ReadonlyArray<number | null | ReadonlyArray<number | null>>
}

/** An aggregation makes more buckets, or a larger answer, than may be. The pointer is into the request. */
export class TooManyBuckets extends Data.TaggedError("TooManyBuckets")<{
  readonly pointer: string
  readonly detail: string
}> {}

/** What can group documents: all reads of one engine see the same documents. */
export interface AggregationEngine<E> {
  /**
   * At most one group more than there may be; undefined when they take more bytes than there is room. Without `by` there
   * is one group, also when it is empty.
   */
  readonly groups: (request: GroupRequest) => Effect.Effect<ReadonlyArray<Group> | undefined, E>
  /** Times between which the dates of a field lie, perhaps wider; undefined when there is none. */
  readonly times: (
    query: Query,
    field: string
  ) => Effect.Effect<{ readonly from: number; readonly to: number } | undefined, E>
}
