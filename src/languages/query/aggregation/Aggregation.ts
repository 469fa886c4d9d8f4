import type { Query } from "../Query.ts"

/** Limits of aggregations; a request or an answer that exceeds one is refused. */
export const aggregationLimits = {
  /** Buckets that contain one another, and the metrics in them. */
  buckets: 2,
  /** Aggregations of a request. */
  names: 50,
  /** Buckets of one aggregation, in all buckets around it together. */
  groups: 65_536,
  /** Bytes of the answers of a request, about. */
  bytes: 16 * 1024 * 1024,
  terms: 10_000,
  percents: 100,
  /** Characters of a text that is a term. Longer texts are left out. */
  term: 1024
}

/** A key of a term. Numbers are in JSON notation, so that they keep their digits. */
export type TermKey =
  | { readonly _tag: "number"; readonly digits: string }
  | { readonly _tag: "text"; readonly text: string }
  | { readonly _tag: "boolean"; readonly value: boolean }

/** How the buckets of one aggregation are ordered; equal ones by their key. */
export interface Order {
  /** The number of documents, the key, or the metric of this name; of percentiles one of them. */
  readonly by:
    | { readonly _tag: "count" }
    | { readonly _tag: "key" }
    | { readonly _tag: "metric"; readonly name: string; readonly percent?: number }
  readonly descending: boolean
}

export type CalendarUnit = "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year"

/** The length of buckets: a unit of the calendar, or milliseconds. */
export type Interval =
  | { readonly _tag: "calendar"; readonly unit: CalendarUnit }
  | { readonly _tag: "fixed"; readonly millis: number }

export interface Terms {
  readonly _tag: "terms"
  readonly field: string
  readonly size: number
  readonly order: Order
  readonly least: number
  /** What documents without a value count as. */
  readonly missing: TermKey | undefined
}

export interface DateHistogram {
  readonly _tag: "date_histogram"
  readonly field: string
  readonly interval: Interval
  /** Minutes that the zone is ahead of UTC at a time in epoch milliseconds. */
  readonly offset: (millis: number) => number
  readonly least: number
  readonly order: Order
}

interface Filter {
  readonly _tag: "filter"
  readonly query: Query
}

export type Simple = "min" | "max" | "sum" | "avg" | "stats" | "value_count" | "cardinality"

export type Metric =
  | { readonly _tag: Simple; readonly field: string }
  | {
      readonly _tag: "percentiles"
      readonly field: string
      readonly percents: ReadonlyArray<number>
      readonly keyed: boolean
    }

export type Bucket = Terms | DateHistogram | Filter

export interface Aggregation {
  readonly name: string
  /** JSON pointer into the request. */
  readonly pointer: string
  readonly kind: Bucket | Metric
  readonly inner: ReadonlyArray<Aggregation>
}

export const isBucket = (kind: Bucket | Metric): kind is Bucket =>
  kind._tag === "terms" || kind._tag === "date_histogram" || kind._tag === "filter"

/** The fields of aggregations and of those inside them. */
export const fieldsOf = (all: ReadonlyArray<Aggregation>): ReadonlyArray<string> =>
  all.flatMap(({ kind, inner }) => [...(kind._tag === "filter" ? [] : [kind.field]), ...fieldsOf(inner)])
