import type { FileWriter } from "./FileWriter.ts"
import { transfer } from "./Transfer.ts"

const nothing: Uint8Array = new Uint8Array(0)

/**
 * Copies the bytes of a source to a file writer. Rejects at the first failure or when `signal` is aborted, even while
 * the source is silent; a write may then still be running.
 */
export const copyInto = (source: AsyncIterable<Uint8Array>, writer: FileWriter, signal: AbortSignal): Promise<void> =>
  transfer(source, signal, (course) => {
    let rest = nothing
    return {
      receive: (chunk) => {
        rest = chunk
      },
      isCopied: () => rest.length === 0,
      step: () => {
        try {
          writer.check()
          const taken = writer.take(rest)
          // A chunk that was copied whole may have been freed, so no view of it may remain.
          rest = taken === rest.length ? nothing : rest.subarray(taken)
        } catch (error) {
          course.stop(error)
          return
        }
        if (rest.length > 0) {
          course.hold()
          writer.whenRoom(course.advance)
        } else if (course.ended) course.finish()
        else course.ask()
      }
    }
  })
