import { Schema } from "effect"

/** A search for a page of documents. */
export const SearchRequest = Schema.Struct({
  index: Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
    description: "An index of the tenant, or a pattern with `*` and `?`"
  }),
  query: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Elasticsearch query; everything by default" })
  ),
  fields: Schema.optionalKey(
    Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(512)))
      .check(Schema.isMaxLength(500))
      .annotate({ description: "Fields that `source` has, by dotted path; the whole document by default" })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
      description: "Documents of a page, 1 to 1000; 100 by default"
    })
  ),
  cursor: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(4096)).annotate({ description: "What the page before it gave" })
  ),
  total: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether all documents that fit are counted, which takes longer" })
  )
}).annotate({ identifier: "SearchRequest" })
export type SearchRequest = typeof SearchRequest.Type

export const SearchPage = Schema.Struct({
  documents: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      index: Schema.String,
      source: Schema.Record(Schema.String, Schema.Unknown)
    })
  ).annotate({ description: "By `@timestamp`, then id" }),
  total: Schema.optionalKey(Schema.Int),
  cursor: Schema.optionalKey(Schema.String.annotate({ description: "Leads to the next page; absent on the last one" }))
}).annotate({ identifier: "SearchPage" })

export const Index = Schema.Struct({
  name: Schema.String,
  documents: Schema.Int,
  bytes: Schema.Int.annotate({ description: "What it takes on the disk" }),
  from: Schema.NullOr(Schema.String).annotate({ description: "First @timestamp" }),
  to: Schema.NullOr(Schema.String).annotate({ description: "Last @timestamp" })
}).annotate({ identifier: "Index" })
