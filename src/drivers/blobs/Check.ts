import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { BlockSums, withoutSums } from "./BlockSums.ts"
import type { Chunks } from "./Chunks.ts"

/** What became of a check of a blob. `repaired`: it was damaged, and an older version of the storage replaced it. */
export type BlobCheckResult = "sound" | "repaired" | "damaged" | "missing"

/** What a check found: the SHA-256 of the stored bytes, their number, and the file of their sums. */
export interface Found {
  readonly sha256: string
  readonly size: number
  readonly sums: Buffer | undefined
}

/** Reads all chunks, at most `bytesPerSecond`, and closes them. */
export const examine = async (chunks: Chunks, bytesPerSecond: number, signal: AbortSignal): Promise<Found> => {
  const hash = createHash("sha256")
  const sums = new BlockSums()
  const began = performance.now()
  let size = 0
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      hash.update(chunk)
      sums.add(chunk)
      size += chunk.length
      chunks.release?.(chunk)
      signal.throwIfAborted()
      const early = (size / bytesPerSecond) * 1000 - (performance.now() - began)
      if (early > 0) await sleep(early, undefined, { signal })
    }
  } finally {
    chunks.close()
  }
  return { sha256: hash.digest("hex"), size, sums: size > withoutSums ? sums.encode() : undefined }
}

/** Damage that readers have met and nobody has looked into yet, at most so many. */
const most = 1000

/** Blobs that readers have found to be damaged. */
export class Suspects {
  readonly #blobs = new Map<string, { readonly tenant: string; readonly sha256: string }>()

  add(tenant: string, sha256: string): void {
    if (this.#blobs.size < most) this.#blobs.set(`${tenant}/${sha256}`, { tenant, sha256 })
  }

  /** Returns all and forgets them. */
  take(): ReadonlyArray<{ readonly tenant: string; readonly sha256: string }> {
    const all = [...this.#blobs.values()]
    this.#blobs.clear()
    return all
  }
}
