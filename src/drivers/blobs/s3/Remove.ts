import { PutObjectCommand } from "@aws-sdk/client-s3"
import { Overdue } from "../Calls.ts"
import type { Bucket } from "./Bucket.ts"
import type { Keys } from "./Keys.ts"
import { look, storedAt } from "./Look.ts"
import { named } from "./Names.ts"
import { removeObject } from "./Publish.ts"

/** Removes a blob and returns whether it existed. */
export const removeBlob = async (bucket: Bucket, key: string): Promise<boolean> => {
  const { stored } = await look(bucket, key)
  if (stored === undefined) return false
  await removeObject(bucket, key)
  return true
}

/**
 * Removes a blob that was last written before a time. S3 has no conditional removal by time. So the remover first
 * writes a mark and then checks the time: it sees a write from before the mark, and a later writer sees the mark and
 * waits. If the outcome of the removal is unknown, the mark stays and expires after a minute.
 */
export const removeBefore = (
  bucket: Bucket,
  keys: Keys,
  tenant: string,
  sha256: string,
  writtenBefore: number
): Promise<boolean> =>
  named(async (name) => {
    const key = keys.blob(tenant, sha256)
    const isOld = async () => {
      const { stored } = await look(bucket, key)
      return stored !== undefined && storedAt(stored) < writtenBefore
    }
    if (!(await isOld())) return false
    const mark = keys.mark(tenant, sha256, name)
    const begun = performance.now()
    const putMark = new PutObjectCommand({ Bucket: bucket.name, Key: mark, Body: Buffer.alloc(0) })
    const unmark = () => removeObject(bucket, mark).catch(() => {})
    try {
      await bucket.quick((limits) => bucket.client.send(putMark, limits))
      if (!(await isOld())) {
        await unmark()
        return false
      }
      if (performance.now() - begun > 2 * bucket.deadline) throw new Overdue("the mark has become too old")
    } catch (error) {
      await unmark()
      throw error
    }
    await removeObject(bucket, key)
    await unmark()
    return true
  })
