import { giveBack } from "../Pipe.ts"
import { transfer } from "../Transfer.ts"
import type { FileWriter } from "./FileWriter.ts"

const nothing: Uint8Array = new Uint8Array(0)

/**
 * Copies the bytes of a source to a file writer. Rejects at the first failure or when `signal` is aborted, even while
 * the source is silent; a write may then still be running.
 */
export const copyInto = (source: AsyncIterable<Uint8Array>, writer: FileWriter, signal: AbortSignal): Promise<void> =>
  transfer(source, signal, (course) => {
    let rest = nothing
    let own: Uint8Array | undefined
    /** The chunk that `rest` is a part of; it is freed here when all of it was copied. */
    let waiting: Uint8Array | undefined
    return {
      receive: (chunk, isOwn) => {
        rest = chunk
        own = isOwn ? chunk : undefined
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
          waiting = own
          course.hold()
          writer.whenRoom(course.advance)
          return
        }
        if (waiting !== undefined) giveBack(waiting)
        waiting = undefined
        if (course.ended) course.finish()
        else course.ask()
      }
    }
  })
