import type { FileHandle } from "node:fs/promises"
import { Effect, Stream } from "effect"
import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"
import { within } from "../../drivers/files/Deadline.ts"

/** Chunk size of file reads in bytes: larger chunks need fewer turns of the event loop. */
export const chunkSize = 512 * 1024

/**
 * The bytes of an open file in order, in chunks of 512 KiB. Fails when the file has become shorter or a read takes
 * longer than `deadline` milliseconds, so that a client sees the announced length or a broken transfer.
 */
export const chunksOf = (handle: FileHandle, span: ByteSpan, deadline: number): Stream.Stream<Uint8Array, unknown> =>
  Stream.unfold(span.start, (position) => {
    const length = Math.min(chunkSize, span.end - position)
    if (length <= 0) return Effect.undefined
    return Effect.tryPromise(async () => {
      const buffer = Buffer.allocUnsafeSlow(length)
      const { bytesRead } = await within(deadline, handle.read(buffer, 0, length, position))
      if (bytesRead === 0) throw new Error("the file is shorter than announced")
      return [buffer.subarray(0, bytesRead), position + bytesRead] as const
    })
  })
