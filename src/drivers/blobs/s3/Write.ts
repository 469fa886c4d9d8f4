import type { Blob } from "../Blobs.ts"
import { Overdue } from "../Calls.ts"
import type { Bucket } from "./Bucket.ts"
import { collect } from "./Collect.ts"
import type { Keys } from "./Keys.ts"
import { named } from "./Names.ts"
import { publish, removeObject } from "./Publish.ts"

/**
 * Stores the source's bytes under their hash. Whatever goes wrong, the temporary object is removed. Interrupted when
 * the blob is about to get its key, it may be there nevertheless: nothing refers to it, and the sweep removes it.
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
      // A server that does not answer would hold the cleaning up as well; the sweep comes later.
      if (!(error instanceof Overdue)) await cleaned
      throw error
    }
  })
