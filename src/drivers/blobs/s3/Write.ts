import type { Blob } from "../Blobs.ts"
import { Overdue } from "../Calls.ts"
import type { Bucket } from "./Bucket.ts"
import { collect } from "./Collect.ts"
import type { Keys } from "./Keys.ts"
import { named } from "./Names.ts"
import { publish, removeObject } from "./Publish.ts"

/**
 * Stores the source's bytes under their hash. The temporary object is removed in any case. If it is interrupted while
 * the blob gets its key, the blob may exist; nothing refers to it, and the sweep removes it.
 */
export const writeBlob = (
  bucket: Bucket,
  keys: Keys,
  tenant: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal
): Promise<Blob> =>
  named(async (name) => {
    const temporary = keys.temporary(tenant, name)
    const taken = await collect(bucket, temporary, source, signal)
    const clean = () => ("temporary" in taken ? removeObject(bucket, temporary).catch(() => {}) : undefined)
    try {
      signal.throwIfAborted()
      await publish(bucket, keys.blob(tenant, taken.sha256), taken, signal)
      await clean()
      return { sha256: taken.sha256, size: taken.size }
    } catch (error) {
      const cleaned = clean()
      // An unresponsive server would block the cleanup too; the sweep does it later.
      if (!(error instanceof Overdue)) await cleaned
      throw error
    }
  })
