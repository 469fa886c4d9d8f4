import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** Bytes of a file in memory at a time. */
const sliceBytes = 4 * 1024 * 1024

/** The SHA-256 of a file in hex. Web Crypto only digests whole buffers, and only in secure contexts. */
export const fileDigest = async (
  file: Pick<Blob, "size" | "slice">,
  onRead: (bytes: number) => void
): Promise<string> => {
  const hash = sha256.create()
  for (let at = 0; at < file.size; at += sliceBytes) {
    hash.update(new Uint8Array(await file.slice(at, at + sliceBytes).arrayBuffer()))
    onRead(Math.min(file.size, at + sliceBytes))
  }
  return bytesToHex(hash.digest())
}
