import { Schema } from "effect"

/** An entry of the list: the latest version of a path. */
export const RegistryEntry = Schema.Struct({
  name: Schema.String.annotate({ description: "Full path of the file" }),
  location: Schema.String.annotate({ description: "Where the bytes are" }),
  updateTime: Schema.String.annotate({ description: "When this version was stored: ISO 8601, UTC, with milliseconds" }),
  creationTime: Schema.String.annotate({
    description: "When the first version was stored: ISO 8601, UTC, with milliseconds"
  }),
  version: Schema.Int
}).annotate({ identifier: "RegistryEntry" })

/** The metadata of a version of a path. */
export const RegistryDetails = Schema.Struct({
  name: Schema.String.annotate({ description: "Full path of the file" }),
  location: Schema.String.annotate({ description: "Where the bytes are" }),
  resource: Schema.String.annotate({ description: "URL path of the download" }),
  timestamp: Schema.String.annotate({ description: "When the version was stored: ISO 8601, UTC, with milliseconds" }),
  size: Schema.Int.annotate({ description: "Bytes" }),
  version: Schema.Int,
  sha256: Schema.String
}).annotate({ identifier: "RegistryDetails" })
export type RegistryDetails = typeof RegistryDetails.Type
