import { once } from "node:events"
import { pipeline, Readable } from "node:stream"
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from "node:zlib"
import type { Sink } from "../../nodes/ports/NodeFiles.ts"
import { compressionOf } from "../../nodes/settings/Paths.ts"
import { codeOf, Failure } from "../Failure.ts"

export const chunkBytes = 256 * 1024

/** Finds bytes after the end: decoders stop without a failure at bytes that are no gzip member or zstd frame. */
class Fed {
  readonly #consumed: () => number
  /** The chunks that were not consumed, and the offset of the first one. */
  readonly #chunks: Array<Uint8Array> = []
  #from = 0

  constructor(consumed: () => number) {
    this.#consumed = consumed
  }

  async *of(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of file) {
      for (let [first] = this.#chunks; first !== undefined; [first] = this.#chunks) {
        if (this.#from + first.length > this.#consumed()) break
        this.#from += first.length
        this.#chunks.shift()
      }
      this.#chunks.push(chunk)
      yield chunk
    }
  }

  /** Whether the decoder has left bytes. Zeros do not count: they fill a block of a tape or disk. */
  get hasRest(): boolean {
    let skip = this.#consumed() - this.#from
    for (const chunk of this.#chunks) {
      if (chunk.subarray(Math.max(0, skip)).some((byte) => byte !== 0)) return true
      skip -= chunk.length
    }
    return false
  }
}

/**
 * The bytes of the file `name`. A name that ends in `.gz` or `.zst` is decompressed, including all gzip members and zstd
 * frames.
 */
export async function* plain(name: string, file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const compression = compressionOf(name)
  if (compression === undefined) {
    yield* file
    return
  }
  const options = { chunkSize: chunkBytes }
  const decoder = compression === "gzip" ? createGunzip(options) : createZstdDecompress(options)
  const fed = new Fed(() => decoder.bytesWritten)
  const bytes = pipeline(Readable.from(fed.of(file), { objectMode: false }), decoder, () => {})
  try {
    yield* bytes
  } catch (error) {
    const code = codeOf(error)
    if (code === "Z_BUF_ERROR") throw new Failure(`The file "${name}" is truncated`)
    throw code?.startsWith("Z_") === true || code?.startsWith("ZSTD_") === true
      ? new Failure(`The file "${name}" is not a valid ${compression} file`)
      : error
  }
  if (fed.hasRest) {
    const what = compression === "gzip" ? "gzip member" : "zstd frame"
    throw new Failure(
      `The file "${name}" is not a valid ${compression} file: behind the last ${what} is something else`
    )
  }
}

/** A sink for the content of the file `name`, which is compressed when the name ends in `.gz` or `.zst`. */
export const compressed = (name: string, sink: Sink): Sink => {
  const compression = compressionOf(name)
  if (compression === undefined) return sink
  const options = { chunkSize: chunkBytes }
  const encoder = compression === "gzip" ? createGzip(options) : createZstdCompress(options)
  const passOn = async () => {
    for await (const chunk of encoder) await sink.write(chunk)
  }
  const passed = passOn()
  // Those who write learn of a failure; nobody may be waiting when it comes.
  passed.catch(() => {})
  encoder.on("error", () => {})
  return {
    write: async (chunk) => {
      if (encoder.destroyed) await passed
      if (!encoder.write(chunk)) await Promise.race([once(encoder, "drain"), passed])
    },
    close: async () => {
      encoder.end()
      await passed
      await sink.close()
    }
  }
}
