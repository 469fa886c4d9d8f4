import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { decodeSums, neverWithSums, type StoredSums } from "../BlockSums.ts"
import { type Bucket, refusalOf, removeObject } from "./Bucket.ts"

/** The sums of a blob; `undefined` when there are none that can be trusted. */
export const readSums = async (bucket: Bucket, key: string, signal?: AbortSignal): Promise<StoredSums | undefined> => {
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: key })
  try {
    const file = await bucket.quick(async (limits) => {
      const answer = await bucket.client.send(command, limits)
      return answer.Body?.transformToByteArray()
    }, signal)
    return file === undefined ? undefined : decodeSums(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
  } catch (error) {
    if (refusalOf(error) !== undefined) return undefined
    throw error
  }
}

/** Stores the sums of a blob. A failure is ignored: the check of all blobs makes missing sums anew. */
export const writeSums = async (bucket: Bucket, key: string, sums: Buffer | undefined): Promise<void> => {
  if (sums === undefined) return
  const command = new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: sums })
  await bucket.quick((limits) => bucket.client.send(command, limits)).catch(() => {})
}

/** Removes the sums of a blob of `size` bytes. It comes before the removal of the blob: nothing would find them later. */
export const removeSums = async (bucket: Bucket, key: string, size: number): Promise<void> => {
  if (size > neverWithSums) await removeObject(bucket, key).catch(() => {})
}
