import { pipeline, Readable } from "node:stream"
import { createGunzip, createZstdDecompress } from "node:zlib"
import { codeOf, Failure } from "../Failure.ts"

export const chunkBytes = 256 * 1024

/** The bytes of the file `name`, decompressed if it ends in `.gz` or `.zst`: all gzip members, all zstd frames. */
export async function* plain(name: string, file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const isZstd = name.endsWith(".zst")
  if (!isZstd && !name.endsWith(".gz")) {
    yield* file
    return
  }
  const source = file instanceof Readable ? file : Readable.from(file)
  const decompress = isZstd ? createZstdDecompress({ chunkSize: chunkBytes }) : createGunzip({ chunkSize: chunkBytes })
  const bytes = pipeline(source, decompress, () => {})
  try {
    yield* bytes
  } catch (error) {
    const code = codeOf(error)
    if (code === "Z_BUF_ERROR") throw new Failure(`The file "${name}" is truncated`)
    const isInvalid = code?.startsWith("Z_") === true || code?.startsWith("ZSTD_") === true
    throw isInvalid ? new Failure(`The file "${name}" is not a valid ${isZstd ? "zstd" : "gzip"} file`) : error
  }
}
