import type { Redacted } from "effect"

/** Blobs in a folder of this machine: an absolute path. */
interface DiskBlobs {
  readonly kind: "disk"
  readonly root: string
}

/** Blobs in a bucket of an S3 storage. */
export interface S3Blobs {
  readonly kind: "s3"
  readonly bucket: string
  /** The prefix of all keys, without a leading or trailing slash; may be empty. */
  readonly prefix: string
  /** Base URL of the server; by default Amazon's for the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Whether the bucket is in the path of the URL instead of its host name. */
  readonly forcePathStyle: boolean
  readonly credentials: Redacted.Redacted<{
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }>
}

/** Where the blobs are. */
export type BlobPlace = DiskBlobs | S3Blobs

/** The database of the documents, and limits on its use. */
export interface SearchAddress {
  /** Address of the PostgreSQL that holds them. */
  readonly url: Redacted.Redacted<string>
  /** Maximum number of concurrent statements, including those whose results are read slowly. */
  readonly connections: number
  /** Bytes of stored documents that a connection reads before another connection gets its turn; 6 MiB by default. */
  readonly sliceBytes?: number | undefined
  /** How long a read waits for a database that is away, in milliseconds; 10 minutes by default. */
  readonly patience?: number | undefined
}
