import * as fs from "node:fs"
import { Cause, Effect, Stream } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ByteSpan } from "./Blobs.ts"
import { type Calls, tracked } from "./Calls.ts"
import { closeQuietly } from "./Folder.ts"

/** Chunk size of reads in bytes: larger chunks need fewer turns of the event loop. */
export const chunkSize = 512 * 1024

/** Milliseconds that an opened blob waits for its reader. */
const patience = 10_000

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
class Chunks {
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

  async next(): Promise<Buffer | undefined> {
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
  let waiting: Opened | undefined = whole(first)
  const giveUp = () => {
    waiting = undefined
    closeQuietly(first.fd)
  }
  const timer = setTimeout(giveUp, patience).unref()
  if (signal.aborted) {
    clearTimeout(timer)
    giveUp()
  }

  const take = async (): Promise<Chunks> => {
    const opened = waiting ?? whole(await open(call, path))
    waiting = undefined
    clearTimeout(timer)
    return new Chunks(call, opened.fd, bytes)
  }
  const unreachable = () => new StorageUnreachable({ storage: "data" })
  const acquire = Effect.uninterruptible(Effect.tryPromise({ try: take, catch: unreachable }))
  return Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(acquire, (chunks) => Effect.sync(chunks.close)),
      (chunks) =>
        Stream.fromPull(
          Effect.succeed(
            Effect.flatMap(Effect.tryPromise({ try: () => chunks.next(), catch: unreachable }), (chunk) =>
              chunk === undefined ? Cause.done() : Effect.succeed([chunk] as const)
            )
          )
        )
    )
  )
}
