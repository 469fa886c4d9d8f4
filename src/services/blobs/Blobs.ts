import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

/** Stored bytes: `sha256` in lower-case hex, `size` in bytes. */
export interface Blob {
  readonly sha256: string
  readonly size: number
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
    /**
     * Stores the bytes in one pass with their hash; returns when they are durable. Interrupting it, or a failing
     * source, leaves nothing. A Node `Readable` is an `AsyncIterable` and takes the quick way.
     */
    readonly write: <E = never>(
      tenant: string,
      source: AsyncIterable<Uint8Array>,
      onSourceError?: (cause: unknown) => E
    ) => Effect.Effect<Blob, StorageUnreachable | E>
    /** The size, or `undefined` when there is no such blob. */
    readonly size: (tenant: string, sha256: string) => Effect.Effect<number | undefined, StorageUnreachable>
    /** The bytes in chunks of 512 KiB. The blob is open before the effect succeeds, so a missing one is not a cut stream. */
    readonly read: (
      tenant: string,
      sha256: string,
      span?: ByteSpan
    ) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnreachable>, StorageUnreachable>
    readonly remove: (tenant: string, sha256: string) => Effect.Effect<void, StorageUnreachable>
    /** Fails when the storage does not take and give bytes within its deadline. */
    readonly health: Effect.Effect<void, StorageUnreachable>
  }
>()("flow/blobs/Blobs") {}
