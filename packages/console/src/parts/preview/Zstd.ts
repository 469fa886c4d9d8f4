import { decompress } from "fzstd"

/** Maximum size in bytes of one page of a Parquet file. */
const mostBytes = 256 * 1024 * 1024

class FaultyZstd extends Error {
  constructor(what: string) {
    super(`The compressed data (zstd) is faulty: ${what}`)
  }
}

/** Decompresses Zstandard data of known size: our analytics flowlines compress Parquet with it. */
export const unzstd = (bytes: Uint8Array, size: number): Uint8Array => {
  if (size > mostBytes) throw new FaultyZstd(`it is larger than ${mostBytes} bytes`)
  let made: Uint8Array
  try {
    made = decompress(bytes, new Uint8Array(size))
  } catch (cause) {
    throw new FaultyZstd(cause instanceof Error ? cause.message : String(cause))
  }
  if (made.length !== size) throw new FaultyZstd("it has another size than it says")
  return made
}
