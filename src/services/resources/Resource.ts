import { Schema } from "effect"

/** The location of a version's bytes. `url` is a `data:` URL when the metadata embeds the bytes. */
const Storage = Schema.Struct({
  type: Schema.String.annotate({ description: "Backend of the blob, `external` for registered data, or `embedded`" }),
  url: Schema.String,
  encoding: Schema.optionalKey(Schema.String),
  compression: Schema.optionalKey(Schema.String)
})

/** A version of a stored resource. */
export const ResourceMetadata = Schema.Struct({
  schema: Schema.Literal("1.0"),
  "@timestamp": Schema.String.annotate({ description: "When the version was made: ISO 8601, UTC, with milliseconds" }),
  size: Schema.Int.annotate({ description: "Bytes" }),
  name: Schema.String,
  storage: Storage,
  version: Schema.Int,
  tenant: Schema.String,
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "ResourceMetadata" })
export type ResourceMetadata = typeof ResourceMetadata.Type

/** The answer to a change of stored resources. */
export const ResourceAnswer = Schema.Struct({
  metadata: Schema.Array(ResourceMetadata).annotate({ description: "The versions that were made" }),
  name: Schema.String.annotate({ description: "The requested name" }),
  message: Schema.String,
  tenant: Schema.String
}).annotate({ identifier: "ResourceAnswer" })
export type ResourceAnswer = typeof ResourceAnswer.Type
