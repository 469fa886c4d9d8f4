import { giveBack } from "./Pipe.ts"
import { transfer } from "./Transfer.ts"

/** Minimum size of a write in bytes, except for the last one. */
const piece = 1024 * 1024
// The kernel splits a writev with more buffers.
const maxBuffers = 1024

const isFull = (buffers: ReadonlyArray<Uint8Array>, bytes: number) => bytes >= piece || buffers.length >= maxBuffers

/**
 * Moves a source into `write` in pieces of about 1 MiB, and reads one piece ahead while another is written. Chunks that
 * nobody else uses are freed after their write, which must have copied them. Uses
 * callbacks, because a promise race per chunk would keep all its reactions in memory until the end. Rejects at the
 * first failure or when `signal` is aborted, even while the source is silent; a write may then still be running.
 */
export const writeBlocks = (
  source: AsyncIterable<Uint8Array>,
  write: (buffers: ReadonlyArray<Uint8Array>, bytes: number) => Promise<void>,
  signal: AbortSignal
): Promise<void> =>
  transfer(source, signal, (course) => {
    let buffers: Array<Uint8Array> = []
    let bytes = 0
    let rest: Uint8Array = new Uint8Array(0)
    let own: Uint8Array | undefined
    /** Chunks that are freed when the collected buffers are written: those whose last bytes are among them. */
    let freed: Array<Uint8Array> = []
    let writing = false

    const take = () => {
      while (rest.length > 0 && !isFull(buffers, bytes)) {
        const chunk = rest.subarray(0, piece)
        rest = rest.subarray(chunk.length)
        buffers.push(chunk)
        bytes += chunk.length
        if (rest.length > 0 || own === undefined) continue
        freed.push(own)
        own = undefined
      }
    }
    const flush = () => {
      const [full, size, written] = [buffers, bytes, freed]
      buffers = []
      freed = []
      bytes = 0
      writing = true
      write(full, size).then(() => {
        for (const chunk of written) giveBack(chunk)
        writing = false
        course.advance()
      }, course.stop)
    }
    return {
      receive: (chunk, isOwn) => {
        rest = chunk
        own = isOwn ? chunk : undefined
      },
      isCopied: () => false,
      step: () => {
        take()
        if (!writing && bytes > 0 && (course.ended || isFull(buffers, bytes))) {
          flush()
          take()
        }
        if (course.ended && !writing && bytes === 0 && rest.length === 0) course.finish()
        else if (!course.ended && rest.length === 0 && !isFull(buffers, bytes)) course.ask()
        else course.hold()
      }
    }
  })
