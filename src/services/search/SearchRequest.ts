import { Schema } from "effect"
import { fieldTypes } from "../../languages/query/FieldTypes.ts"

const sortValue = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

/** The request of one page of search results. */
export const SearchRequest = Schema.Struct({
  index: Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
    description: "An index of the tenant, or a pattern with `*` and `?`"
  }),
  query: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Elasticsearch query; matches all documents by default"
    })
  ),
  fields: Schema.optionalKey(
    Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(512)))
      .check(Schema.isMaxLength(500))
      .annotate({ description: "Dotted paths of the fields in `source`; the whole document by default" })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
      description: "Number of documents per page, 1 to 1000; 100 by default"
    })
  ),
  size: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })).annotate({
      description:
        "Like `limit`, by Elasticsearch's name; 0 for aggregations alone. Without `sort` the newest come first"
    })
  ),
  from: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({
      description: "Number of documents to leave out; with `size` at most 10,000"
    })
  ),
  sort: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: 'Fields in Elasticsearch\'s notation, such as `[{ "bytes": "desc" }, "user.name"]`'
    })
  ),
  search_after: Schema.optionalKey(
    Schema.Array(sortValue).annotate({ description: "`sort` of the document after which the page begins" })
  ),
  aggs: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Elasticsearch aggregations by name, over all documents that match"
    })
  ),
  aggregations: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Another name of `aggs`" })
  ),
  cursor: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(16_384)).annotate({ description: "`cursor` of the previous page" })
  ),
  total: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether to count all matching documents, which takes longer" })
  )
}).annotate({ identifier: "SearchRequest" })
export type SearchRequest = typeof SearchRequest.Type

export const SearchWarning = Schema.Struct({
  pointer: Schema.String.annotate({ description: "JSON pointer to its place in the request" }),
  field: Schema.String,
  detail: Schema.String.annotate({ description: "What is wrong, with the field that may be meant" })
}).annotate({ identifier: "SearchWarning" })
export type SearchWarning = typeof SearchWarning.Type

export const SearchPage = Schema.Struct({
  documents: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      index: Schema.String,
      source: Schema.Record(Schema.String, Schema.Unknown),
      sort: Schema.optionalKey(
        Schema.Array(sortValue).annotate({ description: "The values that order it, for `search_after`" })
      )
    })
  ).annotate({ description: "Matching documents, ordered by `sort`, or by `@timestamp`, then by id" }),
  total: Schema.optionalKey(Schema.Int),
  aggregations: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Answers by name, as Elasticsearch writes them"
    })
  ),
  warnings: Schema.optionalKey(
    Schema.Array(SearchWarning).annotate({
      description: "Fields of `sort` and aggregations that no document of the indices has"
    })
  ),
  cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "Cursor of the next page; absent on the last page" })
  )
}).annotate({ identifier: "SearchPage" })

/** The fields of indices. */
export const IndexFields = Schema.Struct({
  fields: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "Dotted path" }),
      types: Schema.Array(Schema.Literals(fieldTypes)).annotate({
        description:
          "Types of its values. list: it is in lists, or is one, whose values are not looked at. object: it holds fields, too"
      })
    })
  ).annotate({ description: "By name, at most 2000" }),
  more: Schema.Boolean.annotate({ description: "Whether there are fields beyond these" })
}).annotate({ identifier: "IndexFields" })

export const Index = Schema.Struct({
  name: Schema.String,
  documents: Schema.Int,
  bytes: Schema.Int.annotate({ description: "Size on disk in bytes" }),
  from: Schema.NullOr(Schema.String).annotate({ description: "First @timestamp" }),
  to: Schema.NullOr(Schema.String).annotate({ description: "Last @timestamp" })
}).annotate({ identifier: "Index" })
