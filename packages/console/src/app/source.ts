/** A download of the gateway of which parts can be read. */
export interface Source {
  /** Bytes of all of it. */
  readonly size: number
  /** The bytes from an offset on. Fails when the download is another one by now. */
  readonly read: (from: number, length: number, signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>
}

/** Bytes of a request, at first and when much is read: some are on their way before anybody reads them. */
const fewBytes = 64 * 1024
const manyBytes = 512 * 1024
const much = 1024 * 1024

/** Bytes of a download as they are asked for: a little at first, as most entries are only looked at. */
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
    // Nothing is loaded before somebody reads.
    { highWaterMark: 0 }
  )
}
