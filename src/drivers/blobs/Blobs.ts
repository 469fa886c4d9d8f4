import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

/** Stored bytes: `sha256` in lower-case hex, `size` in bytes. */
export interface Blob {
  readonly sha256: string
  readonly size: number
}

/** `storedAt` is when its content was last written, also when it was found to be there already: epoch milliseconds. */
export interface StoredBlob extends Blob {
  readonly storedAt: number
}

/** A part of a blob: `start` from 0, `end` exclusive. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** Content-addressed bytes of a tenant. Equal content is stored once; nothing is visible before it is durable. */
export class Blobs extends Context.Service<
  Blobs,
  {
    /** What keeps the bytes, as metadata names it: `disk`, `s3` or, in tests, `memory`. */
    readonly backend: string
    /** Where a blob lies or would lie: `file:///<root>/…` or `s3://<bucket>/<key>`. Never holds credentials. */
    readonly url: (tenant: string, sha256: string) => string
    /**
     * Stores the bytes in one pass with their hash; returns when they are durable. Interrupting it, or a failing
     * source, leaves nothing. A Node `Readable` is an `AsyncIterable`; chunks must not be changed after they were
     * given. The source is released as `for await` would do it, so one that must outlive a failure of the storage, such
     * as a request that is still to be answered, is passed as `readable.iterator({ destroyOnReturn: false })`. Without
     * `onSourceError` a failing source is a defect.
     */
    readonly write: <E = never>(
      tenant: string,
      source: AsyncIterable<Uint8Array>,
      onSourceError?: (cause: unknown) => E
    ) => Effect.Effect<Blob, StorageUnreachable | E>
    /** The size, or `undefined` when there is no such blob. */
    readonly size: (tenant: string, sha256: string) => Effect.Effect<number | undefined, StorageUnreachable>
    /**
     * The bytes in chunks of 512 KiB. The blob is open before the effect succeeds, so a missing one is not a cut
     * stream.
     */
    readonly read: (
      tenant: string,
      sha256: string,
      span?: ByteSpan
    ) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnreachable>, StorageUnreachable>
    /**
     * Removes it and tells whether it did; who is reading it reads on. With `writtenBefore` (epoch milliseconds) it
     * stays when its content was written at that time or later, a write that happens at this moment included.
     */
    readonly remove: (
      tenant: string,
      sha256: string,
      writtenBefore?: number
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** What is stored for the tenant, in the order of the hashes. */
    readonly list: (tenant: string) => Stream.Stream<StoredBlob, StorageUnreachable>
    /** Fails when the storage does not take and give bytes within its deadline. */
    readonly health: Effect.Effect<void, StorageUnreachable>
  }
>()("flow/blobs/Blobs") {}
