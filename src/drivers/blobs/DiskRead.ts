import * as fs from "node:fs"
import type { Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ByteSpan } from "./Blobs.ts"
import { type Calls, tracked } from "./FileCalls.ts"
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

/** Reads ahead if the reader comes back within this many milliseconds. */
const quick = 250

/**
 * Reads one chunk ahead for a fast reader; for a slow one that would double its memory. A file that ends before the
 * span is an error, not a shorter answer.
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

  // The next `next` reports its failure. A reader that leaves before does not need it.
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
 * The bytes of a span (by default all) of the file at `path`. The file is open when the promise resolves, so a blob
 * that is deleted later can still be read. It is closed when the stream ends in any way, when `signal` is aborted
 * before the file was open, and after ten seconds without a reader. A stream that is run later than that, or a second
 * time, opens the file again.
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
