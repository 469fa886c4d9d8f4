import { createHash, type Hash } from "node:crypto"
import type { ByteSpan } from "../Blobs.ts"
import { blockSize, type StoredSums, withoutSums } from "../BlockSums.ts"
import type { Chunks } from "../Chunks.ts"

/** The stored bytes are not those that the name stands for. */
export class DamagedBlob extends Error {
  constructor() {
    super("the blob is damaged")
  }
}

/** How the bytes of a span are verified, and which bytes are read for that. */
export interface Plan {
  readonly read: ByteSpan
  readonly by: "blocks" | "hash" | "nothing"
}

/**
 * With sums, whole blocks are read. Without them the bytes are verified by the name of the blob, which takes all of
 * them: a part of a large blob without sums is not verified. `size` is that of the stored blob.
 */
export const planOf = (size: number, span: ByteSpan, sums: StoredSums | undefined): Plan => {
  if (sums !== undefined && size !== sums.size) throw new DamagedBlob()
  if (size <= withoutSums) return { read: { start: 0, end: size }, by: "hash" }
  if (sums !== undefined) {
    const start = span.start - (span.start % blockSize)
    return { read: { start, end: Math.min(size, Math.ceil(span.end / blockSize) * blockSize) }, by: "blocks" }
  }
  return { read: span, by: span.start === 0 && span.end === size ? "hash" : "nothing" }
}

/**
 * The chunks of a span, each of which is handed on only when it is verified. Where the hash decides, a small blob is
 * read before any of it is handed on, and of a large one the last chunk is held back. A damaged blob fails with `DamagedBlob`, so a reader never gets all of its bytes.
 * `chunks` are those of the plan, in blocks.
 */
export const verified = (
  chunks: Chunks,
  plan: Plan,
  span: ByteSpan,
  sha256: string,
  sums: StoredSums | undefined
): Chunks => {
  const hash: Hash | undefined = plan.by === "hash" ? createHash("sha256") : undefined
  let position = plan.read.start

  const check = (chunk: Uint8Array) => {
    hash?.update(chunk)
    const isSound =
      hash === undefined
        ? plan.by === "nothing" || sums?.fits(position / blockSize, chunk) === true
        : position + chunk.length < plan.read.end || hash.digest("hex") === sha256
    if (!isSound) throw new DamagedBlob()
  }
  const next = async (): Promise<Uint8Array | undefined> => {
    const chunk = await chunks.next()
    if (chunk === undefined) return undefined
    check(chunk)
    const from = Math.max(0, span.start - position)
    const to = Math.max(from, Math.min(chunk.length, span.end - position))
    position += chunk.length
    return chunk.subarray(from, to)
  }
  if (hash === undefined || plan.read.end > withoutSums) return { ...chunks, next }
  let whole: Array<Uint8Array> | undefined
  const ofWhole = async (): Promise<Uint8Array | undefined> => {
    if (whole === undefined) {
      const parts: Array<Uint8Array> = []
      for (let part = await next(); part !== undefined; part = await next()) if (part.length > 0) parts.push(part)
      whole = parts
    }
    return whole.shift()
  }
  return { ...chunks, next: ofWhole }
}
