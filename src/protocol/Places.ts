import type { Redacted } from "effect"

/** Blobs in a folder of this machine: an absolute path. */
export interface DiskBlobs {
  readonly kind: "disk"
  readonly root: string
}

/** Blobs in a bucket of an S3 storage. */
export interface S3Blobs {
  readonly kind: "s3"
  readonly bucket: string
  /** What every key begins with, without slashes at its ends; may be empty. */
  readonly prefix: string
  /** Base address of the server; without one, Amazon's of the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Whether the bucket is in the path of the address instead of its host name. */
  readonly forcePathStyle: boolean
  readonly credentials: Redacted.Redacted<{
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }>
}

/** Where the blobs are. */
export type BlobPlace = DiskBlobs | S3Blobs

/** Where and how the documents are reached. */
export interface SearchAddress {
  /** Address of the PostgreSQL that holds them. */
  readonly url: Redacted.Redacted<string>
  /** Statements that may be under way at once, those that are being read slowly included. */
  readonly connections: number
  /** Bytes of stored documents that one connection reads of many, before the next one goes on; 6 MiB by default. */
  readonly sliceBytes?: number | undefined
}
