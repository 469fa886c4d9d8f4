import * as fs from "node:fs"
import type { Stream } from "effect"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { codeOf } from "../../Failure.ts"
import type { ByteSpan } from "../Blobs.ts"
import { giveBlock, takeBlock } from "../Blocks.ts"
import { type BlobCheckResult, examine } from "../Check.ts"
import type { Chunks } from "../Chunks.ts"
import type { BlobPath } from "./DiskPaths.ts"
import { addSums, readSums } from "./DiskSums.ts"
import { type Calls, tracked } from "./FileCalls.ts"
import { closeQuietly, type Root } from "./Folder.ts"
import { chunkSize, isUnreadable, streamOf } from "./OpenBlob.ts"
import { DamagedBlob, planOf, verified } from "./VerifiedChunks.ts"

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
    const buffer = takeBlock(length)
    for (let filled = 0; filled < length; ) {
      const bytes = await this.#tracked.call<number>((done) =>
        fs.read(this.#fd, buffer, filled, length - filled, position + filled, done)
      )
      if (bytes === 0) throw new DamagedBlob()
      filled += bytes
    }
    this.#position = position + length
    return buffer
  }

  readonly next = async (): Promise<Buffer | undefined> => {
    const isQuick = performance.now() - this.#takenAt < quick
    const chunk = await (this.#ahead ?? this.#read())
    this.#takenAt = performance.now()
    this.#ahead = isQuick ? this.#readAhead() : undefined
    return chunk
  }

  readonly release = giveBlock

  readonly close = (): void => {
    void this.#tracked.retire().then(() => closeQuietly(this.#fd))
  }
}

/** The bytes of a span (by default all) of a blob, verified: see {@link streamOf}. */
export const readBlob = (
  call: Calls,
  blob: BlobPath,
  span: ByteSpan | undefined,
  signal: AbortSignal,
  damaged: () => void
): Promise<Stream.Stream<Uint8Array, StorageUnreachable>> => {
  const prepare = async () => {
    const { fd, size } = await open(call, blob.path)
    try {
      const bytes = span ?? { start: 0, end: size }
      if (bytes.end > size) throw new DamagedBlob()
      const sums = await readSums(call, blob, size)
      return { fd, bytes, sums, plan: planOf(size, bytes, sums) }
    } catch (error) {
      closeQuietly(fd)
      throw error
    }
  }
  return streamOf(
    {
      open: prepare,
      chunks: ({ fd, bytes, sums, plan }) =>
        verified(new FileChunks(call, fd, plan.read), plan, bytes, blob.sha256, sums),
      close: ({ fd }) => closeQuietly(fd)
    },
    damaged,
    signal
  )
}

/** Reads a whole blob slowly and compares it with its name, a second time if it differs. */
export const checkBlob = async (
  call: Calls,
  root: Root,
  blob: BlobPath,
  bytesPerSecond: number,
  signal: AbortSignal
): Promise<BlobCheckResult> => {
  const look = async () => {
    const { fd, size } = await open(call, blob.path)
    return examine(new FileChunks(call, fd, { start: 0, end: size }), bytesPerSecond, signal)
  }
  for (let again = false; ; again = true) {
    try {
      const found = await look()
      if (found.sha256 === blob.sha256) {
        if ((await readSums(call, blob, found.size)) === undefined) await addSums(call, root, blob, found.sums)
        return "sound"
      }
    } catch (error) {
      if (codeOf(error) === "ENOENT") {
        await root.present()
        return "missing"
      }
      if (!(error instanceof DamagedBlob) && !isUnreadable(error)) throw error
    }
    if (again) return "damaged"
  }
}
