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
}).annotate({
  identifier: "Archive",
  examples: [
    {
      id: "4kQz0vWbT1mXr8sYh2Lc-1763683200000",
      flowlineId: "4kQz0vWbT1mXr8sYh2Lc",
      size: 18_231,
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      entries: 1,
      createdAt: "2026-01-01T00:00:00.000Z"
    }
  ]
})
export type Archive = typeof Archive.Type & { readonly id: ArchiveId }
