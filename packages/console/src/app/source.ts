/** A download whose parts can be read. */
export interface Source {
  /** Total size in bytes. */
  readonly size: number
  /** Reads bytes from an offset on. Fails if the download has changed since. */
  readonly read: (from: number, length: number, signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>
}

/** Bytes per request, at first and when much is read. Some are requested ahead of the reader. */
const fewBytes = 64 * 1024
const manyBytes = 512 * 1024
const much = 1024 * 1024

/** Streams a download on demand: little at first, because most entries are only looked at. */
export const streamOf = (
  source: Source,
  offset: number,
  size: number,
  signal?: AbortSignal
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let at = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        const length = at < much ? fewBytes : manyBytes
        const bytes = await source.read(offset + at, Math.min(length, size - at), signal)
        at += bytes.length
        if (bytes.length > 0) controller.enqueue(bytes)
        if (at >= size || bytes.length === 0) controller.close()
      }
    },
    // Loads nothing before the first read.
    { highWaterMark: 0 }
  )
}
