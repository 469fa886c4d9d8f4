import { Readable } from "node:stream"

/** The source of a write failed: not the storage's fault. */
export class SourceFailure {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** Bytes that are written at once. */
const piece = 1024 * 1024
// More buffers than this in one writev would be split by the kernel's limit anyway.
const maxBuffers = 1024

const isFull = (buffers: ReadonlyArray<Uint8Array>, bytes: number) => bytes >= piece || buffers.length >= maxBuffers

// An iterator that waits for its source cannot take a `return` before the source moves, so a Readable is destroyed.
const release = (source: AsyncIterable<Uint8Array>, iterator: AsyncIterator<Uint8Array>) => {
  if (source instanceof Readable) source.destroy()
  iterator.return?.().then(undefined, () => {})
}

/**
 * Moves a source into `write` in pieces of about 1 MiB, reading ahead one piece while another is written. `see` gets
 * the bytes in order, at most 1 MiB at a time. Written as callbacks, because a promise race per chunk would keep
 * every one of its reactions until the end. Rejects at the first failure or when `signal` is aborted, also while the
 * source has nothing to say; a write may then still be running.
 */
export const pump = (
  source: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
  write: (buffers: ReadonlyArray<Uint8Array>, bytes: number) => Promise<void>,
  signal: AbortSignal
): Promise<void> =>
  new Promise((resolve, reject) => {
    const iterator = source[Symbol.asyncIterator]()
    let buffers: Array<Uint8Array> = []
    let bytes = 0
    let rest: Uint8Array = new Uint8Array(0)
    let pulling = false
    let writing = false
    let ended = false
    let settled = false

    const finish = (settle: () => void) => {
      if (settled) return
      settled = true
      signal.removeEventListener("abort", abort)
      settle()
    }
    const stop = (error: unknown) =>
      finish(() => {
        reject(error)
        if (!ended) release(source, iterator)
      })
    const abort = () => stop(signal.reason)

    const take = () => {
      while (rest.length > 0 && !isFull(buffers, bytes)) {
        const chunk = rest.subarray(0, piece)
        rest = rest.subarray(chunk.length)
        see(chunk)
        buffers.push(chunk)
        bytes += chunk.length
      }
    }
    const advance = () => {
      if (settled) return
      take()
      if (!writing && bytes > 0 && (ended || isFull(buffers, bytes))) {
        const [full, size] = [buffers, bytes]
        buffers = []
        bytes = 0
        writing = true
        write(full, size).then(() => {
          writing = false
          advance()
        }, stop)
      }
      if (ended && !writing && bytes === 0 && rest.length === 0) finish(resolve)
      else if (!ended && !pulling && rest.length === 0 && !isFull(buffers, bytes)) pull()
    }
    const pull = () => {
      pulling = true
      iterator.next().then(
        (next) => {
          pulling = false
          if (next.done === true) ended = true
          else rest = next.value
          advance()
        },
        (cause) => {
          ended = true
          stop(new SourceFailure(cause))
        }
      )
    }

    signal.addEventListener("abort", abort, { once: true })
    if (signal.aborted) abort()
    else advance()
  })
