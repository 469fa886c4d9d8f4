import { Schema } from "effect"

/** Where the bytes of a version are. `url` is a `data:` address when they are part of the metadata. */
const Storage = Schema.Struct({
  type: Schema.String.annotate({ description: "The blobs' backend, `external` for registered data, or `embedded`" }),
  url: Schema.String,
  encoding: Schema.optionalKey(Schema.String),
  compression: Schema.optionalKey(Schema.String)
})

/** A version of a stored resource. */
export const ResourceMetadata = Schema.Struct({
  schema: Schema.Literal("1.0"),
  "@timestamp": Schema.String.annotate({ description: "When the version was made, ISO 8601 UTC with milliseconds" }),
  size: Schema.Int.annotate({ description: "Bytes" }),
  name: Schema.String,
  storage: Storage,
  version: Schema.Int,
  tenant: Schema.String,
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "ResourceMetadata" })
export type ResourceMetadata = typeof ResourceMetadata.Type

/** What a change of stored resources answers. */
export const ResourceAnswer = Schema.Struct({
  metadata: Schema.Array(ResourceMetadata).annotate({ description: "The versions that were made" }),
  name: Schema.String.annotate({ description: "The name that was asked for" }),
  message: Schema.String,
  tenant: Schema.String
}).annotate({ identifier: "ResourceAnswer" })
export type ResourceAnswer = typeof ResourceAnswer.Type
