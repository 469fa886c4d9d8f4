import { Effect, Stream } from "effect"

/** Size of the chunks in which a large text is sent, in bytes. */
export const chunkBytes = 64 * 1024

/** Bytes in chunks, so that each is sent when the client has taken those before it. */
export const byteChunks = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at) =>
    Effect.succeed(at >= bytes.length ? undefined : ([bytes.subarray(at, at + chunkBytes), at + chunkBytes] as const))
  )
