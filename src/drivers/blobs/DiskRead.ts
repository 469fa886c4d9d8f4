import * as fs from "node:fs"
import type { Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ByteSpan } from "./Blobs.ts"
import { type Calls, tracked } from "./Calls.ts"
import { closeQuietly } from "./Folder.ts"
import { type Chunks, chunkSize, streamOf } from "./Opened.ts"

interface Opened {
  readonly fd: number
  readonly size: number
}

const open = async (call: Calls, path: string): Promise<Opened> => {
  const fd = await call<number>((done) => fs.open(path, "r", done), closeQuietly)
  try {
    const { size } = await call<fs.Stats>((done) => fs.fstat(fd, done))
    return { fd, size }
  } catch (error) {
    closeQuietly(fd)
    throw error
  }
}

/** A reader that comes back within this many milliseconds is worth reading ahead for. */
const quick = 250

/**
 * Reads one chunk ahead of a quick reader; for a slow one that would double the memory it takes. A file that ends
 * before the span is an error, not a shorter answer.
 */
class FileChunks implements Chunks {
  readonly #tracked: ReturnType<typeof tracked>
  readonly #fd: number
  readonly #end: number
  #position: number
  #ahead: Promise<Buffer | undefined> | undefined
  #takenAt = Number.NEGATIVE_INFINITY

  constructor(call: Calls, fd: number, span: ByteSpan) {
    this.#tracked = tracked(call)
    this.#fd = fd
    this.#position = span.start
    this.#end = span.end
    this.#ahead = this.#readAhead()
  }

  // Its failure is seen by the next `next`; a reader that leaves before does not care.
  #readAhead(): Promise<Buffer | undefined> {
    const chunk = this.#read()
    chunk.catch(() => {})
    return chunk
  }

  async #read(): Promise<Buffer | undefined> {
    const position = this.#position
    const length = Math.min(chunkSize, this.#end - position)
    if (length <= 0) return undefined
    const buffer = Buffer.allocUnsafeSlow(length)
    const bytes = await this.#tracked.call<number>((done) => fs.read(this.#fd, buffer, 0, length, position, done))
    if (bytes === 0) throw new Error("the blob is shorter than it was")
    this.#position = position + bytes
    return bytes === length ? buffer : buffer.subarray(0, bytes)
  }

  readonly next = async (): Promise<Buffer | undefined> => {
    const isQuick = performance.now() - this.#takenAt < quick
    const chunk = await (this.#ahead ?? this.#read())
    this.#takenAt = performance.now()
    this.#ahead = isQuick ? this.#readAhead() : undefined
    return chunk
  }

  readonly close = (): void => {
    void this.#tracked.retire().then(() => closeQuietly(this.#fd))
  }
}

/**
 * The bytes of a span (the whole file by default) of the file at `path`, which is open when the promise resolves. It is
 * closed and opened again as {@link streamOf} says.
 */
export const readBlob = async (
  call: Calls,
  path: string,
  span: ByteSpan | undefined,
  signal: AbortSignal
): Promise<Stream.Stream<Uint8Array, StorageUnreachable>> => {
  const first = await open(call, path)
  const bytes = span ?? { start: 0, end: first.size }
  const whole = (opened: Opened): Opened => {
    if (opened.size >= bytes.end) return opened
    closeQuietly(opened.fd)
    throw new Error("the blob is shorter than it was")
  }
  return streamOf(
    whole(first),
    {
      reopen: async () => whole(await open(call, path)),
      chunks: ({ fd }) => new FileChunks(call, fd, bytes),
      close: ({ fd }) => closeQuietly(fd)
    },
    signal
  )
}
