import { PutObjectCommand } from "@aws-sdk/client-s3"
import { Overdue } from "../Calls.ts"
import type { Bucket } from "./Bucket.ts"
import type { Keys } from "./Keys.ts"
import { look, storedAt } from "./Look.ts"
import { named } from "./Names.ts"
import { removeObject } from "./Publish.ts"

/** Removes a blob; tells whether there was one. */
export const removeBlob = async (bucket: Bucket, key: string): Promise<boolean> => {
  const { stored } = await look(bucket, key)
  if (stored === undefined) return false
  await removeObject(bucket, key)
  return true
}

/**
 * Removes a blob that was last written before that time. S3 cannot remove on a condition of time, so who is about to
 * remove says so with a mark, and then looks: a write from before the mark is seen, and a later one sees the mark and
 * waits. When it is not known whether the removal still happens, the mark stays, and loses its meaning after a minute.
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
