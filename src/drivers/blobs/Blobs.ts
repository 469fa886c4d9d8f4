import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { BlobCheckResult } from "./Check.ts"

/** A stored blob: `sha256` in lower-case hex, `size` in bytes. */
export interface Blob {
  readonly sha256: string
  readonly size: number
}

/** `storedAt` is the last time its content was written, even if it was already stored, in epoch milliseconds. */
export interface StoredBlob extends Blob {
  readonly storedAt: number
}

/** A range of a blob: `start` counts from 0, `end` is exclusive. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/**
 * Content-addressed bytes of a tenant. Equal content is stored once. A blob becomes visible only when it is durable.
 */
export class Blobs extends Context.Service<
  Blobs,
  {
    /** The kind of storage, as shown in metadata: `disk`, `s3` or, in tests, `memory`. */
    readonly backend: string
    /**
     * The location of a blob, whether it exists or not: `file:///<root>/…` or `s3://<bucket>/<key>`. Contains no
     * credentials.
     */
    readonly url: (tenant: string, sha256: string) => string
    /**
     * Stores the bytes and computes their hash in one pass; returns when they are durable. Interruption or a failing
     * source leaves nothing behind. A Node `Readable` is an `AsyncIterable`; chunks must not be changed after they were
     * passed. The source is released as by `for await`; a source that must survive a storage failure, such as a request
     * that still needs an answer, is passed as `readable.iterator({ destroyOnReturn: false })`. Without `onSourceError`
     * a failing source is a defect.
     */
    readonly write: <E = never>(
      tenant: string,
      source: AsyncIterable<Uint8Array>,
      onSourceError?: (cause: unknown) => E
    ) => Effect.Effect<Blob, StorageUnreachable | E>
    /** The size in bytes, or `undefined` when there is no such blob. */
    readonly size: (tenant: string, sha256: string) => Effect.Effect<number | undefined, StorageUnreachable>
    /**
     * The bytes in chunks of up to 512 KiB. The blob is opened before the effect succeeds, so a missing blob fails the
     * effect and not the stream. The bytes are verified on the way: the stream of a damaged blob fails before its end.
     * Only parts of a large blob that a version without sums has stored are not, until `check` has made its sums.
     */
    readonly read: (
      tenant: string,
      sha256: string,
      span?: ByteSpan
    ) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnreachable>, StorageUnreachable>
    /**
     * Removes a blob and returns whether it did; current readers can finish. The blob is kept if its content was written
     * at or after `writtenBefore` (epoch milliseconds), including by a concurrent write.
     */
    readonly remove: (
      tenant: string,
      sha256: string,
      writtenBefore: number
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** The blobs of the tenant, ordered by hash. */
    readonly list: (tenant: string) => Stream.Stream<StoredBlob, StorageUnreachable>
    /**
     * Reads a whole blob, slowly, and compares it with its hash. A damaged one is replaced by an older version where the
     * storage keeps some.
     */
    readonly check: (
      tenant: string,
      sha256: string,
      bytesPerSecond: number
    ) => Effect.Effect<BlobCheckResult, StorageUnreachable>
    /** The blobs that reads have found to be damaged since the last call. */
    readonly suspects: Effect.Effect<ReadonlyArray<{ readonly tenant: string; readonly sha256: string }>>
    /** Whether the storage holds no blob of any tenant. */
    readonly isEmpty: Effect.Effect<boolean, StorageUnreachable>
    /** The id of the installation that these blobs belong to; `undefined` for none yet. */
    readonly owner: Effect.Effect<string | undefined, StorageUnreachable>
    /** Makes the blobs those of an installation. */
    readonly own: (installation: string) => Effect.Effect<void, StorageUnreachable>
    /** Fails when the storage does not store and return bytes within its deadline. */
    readonly health: Effect.Effect<void, StorageUnreachable>
  }
>()("flow/blobs/Blobs") {}
