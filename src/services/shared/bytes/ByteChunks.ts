import { Effect, Stream } from "effect"

/** Size of the pieces in which a large text is sent, in bytes. */
export const pieceBytes = 64 * 1024

/** Bytes in pieces, so that each can be sent when the client has taken those before it. */
export const pieces = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at) =>
    Effect.succeed(at >= bytes.length ? undefined : ([bytes.subarray(at, at + pieceBytes), at + pieceBytes] as const))
  )
