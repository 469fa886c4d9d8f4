import { transfer } from "./Transfer.ts"

/** Minimum size of a write in bytes, except for the last one. */
const piece = 1024 * 1024
// The kernel splits a writev with more buffers.
const maxBuffers = 1024

const isFull = (buffers: ReadonlyArray<Uint8Array>, bytes: number) => bytes >= piece || buffers.length >= maxBuffers

/**
 * Moves a source into `write` in pieces of about 1 MiB, and reads one piece ahead while another is written. Uses
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
    let writing = false

    const take = () => {
      while (rest.length > 0 && !isFull(buffers, bytes)) {
        const chunk = rest.subarray(0, piece)
        rest = rest.subarray(chunk.length)
        buffers.push(chunk)
        bytes += chunk.length
      }
    }
    const flush = () => {
      const [full, size] = [buffers, bytes]
      buffers = []
      bytes = 0
      writing = true
      write(full, size).then(() => {
        writing = false
        course.advance()
      }, course.stop)
    }
    return {
      receive: (chunk) => {
        rest = chunk
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
