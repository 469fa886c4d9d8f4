import type { Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

/** Reads an opened blob chunk by chunk. */
export interface Chunks {
  /** The next chunk; undefined after the last one. */
  readonly next: () => Promise<Uint8Array | undefined>
  readonly close: () => void
  /** Takes the memory of a chunk back that nobody uses any more. A reader that keeps its chunks does not call it. */
  readonly release?: (chunk: Uint8Array) => void
}

const openers = new WeakMap<object, () => Promise<Chunks>>()

/** Lets a stream be read without running it. */
export const remember = (stream: Stream.Stream<Uint8Array, StorageUnreachable>, open: () => Promise<Chunks>): void => {
  openers.set(stream, open)
}

/**
 * Opens the chunks behind a stream of a blob, in place of running it; undefined for any other stream. What sends a blob
 * takes it, because only there is it known when the memory of a chunk is free again, and a stream costs more than that.
 */
export const openerOf = (stream: object): (() => Promise<Chunks>) | undefined => openers.get(stream)
