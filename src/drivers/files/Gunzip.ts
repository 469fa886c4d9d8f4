import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { codeOf, Failure } from "../Failure.ts"

export const chunkBytes = 256 * 1024

/** The bytes of the file `name`. A name that ends in `.gz` is decompressed, including all gzip members. */
export async function* plain(name: string, file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!name.endsWith(".gz")) {
    yield* file
    return
  }
  const source = file instanceof Readable ? file : Readable.from(file)
  const bytes = pipeline(source, createGunzip({ chunkSize: chunkBytes }), () => {})
  try {
    yield* bytes
  } catch (error) {
    const code = codeOf(error)
    if (code === "Z_BUF_ERROR") throw new Failure(`The file "${name}" is truncated`)
    throw code?.startsWith("Z_") ? new Failure(`The file "${name}" is not a valid gzip file`) : error
  }
}
