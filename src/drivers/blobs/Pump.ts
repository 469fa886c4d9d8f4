import { transfer } from "./Transfer.ts"

/** Bytes that are written at once. */
const piece = 1024 * 1024
// More buffers than this in one writev would be split by the kernel's limit anyway.
const maxBuffers = 1024

const isFull = (buffers: ReadonlyArray<Uint8Array>, bytes: number) => bytes >= piece || buffers.length >= maxBuffers

/**
 * Moves a source into `write` in pieces of about 1 MiB, reading ahead one piece while another is written. Rejects as
 * {@link transfer} does.
 */
export const pump = (
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
