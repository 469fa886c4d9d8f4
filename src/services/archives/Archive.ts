import { Brand, Schema } from "effect"

/** The id of an archive in its tenant: that of the run that made it. */
export type ArchiveId = Brand.Branded<string, "ArchiveId">
export const ArchiveId = Brand.nominal<ArchiveId>()

/** A finished zip file that an execution made. */
export const Archive = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the execution that made the archive" }),
  flowlineId: Schema.String,
  size: Schema.Int.annotate({ description: "Size of the zip in bytes" }),
  sha256: Schema.String.annotate({ description: "SHA-256 of the zip in hex, also the ETag of its download" }),
  entries: Schema.Int.annotate({ description: "Number of files in the zip" }),
  createdAt: Schema.String.annotate({ description: "When the archive was made: ISO 8601, UTC, with milliseconds" })
}).annotate({ identifier: "Archive" })
export type Archive = typeof Archive.Type & { readonly id: ArchiveId }
