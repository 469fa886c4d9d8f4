import { ListObjectVersionsCommand } from "@aws-sdk/client-s3"
import { withoutSums } from "../BlockSums.ts"
import type { BlobCheckResult, Found } from "../Check.ts"
import { type Bucket, isMissing, refusalOf } from "./Bucket.ts"
import { type BlobKeys, examineObject } from "./GetObject.ts"
import { copySource } from "./Keys.ts"
import { findBlob, page } from "./ListObjects.ts"
import { copyObject } from "./PutObject.ts"
import { readSums, removeSums, writeSums } from "./Sums.ts"

/** The earlier versions of an object, newest first. None where the bucket has no versioning. */
const versionsOf = async (bucket: Bucket, key: string): Promise<ReadonlyArray<string>> => {
  const command = new ListObjectVersionsCommand({ Bucket: bucket.name, Prefix: key, MaxKeys: 100 })
  try {
    const found = await bucket.quick((limits) => bucket.client.send(command, limits))
    return (found.Versions ?? []).flatMap(({ Key, VersionId, IsLatest }) =>
      Key === key && VersionId !== undefined && IsLatest !== true ? [VersionId] : []
    )
  } catch (error) {
    // Not every server knows versions, and not all credentials may list them.
    if (refusalOf(error) !== undefined) return []
    throw error
  }
}

/**
 * Stores the sums of a blob that may be removed meanwhile. A removal removes sums while its mark is there, so it removes
 * these, or its mark is seen here, or the blob is missing.
 */
const addSums = async (bucket: Bucket, keys: BlobKeys, { size, sums }: Found): Promise<void> => {
  await writeSums(bucket, keys.sums, sums)
  const { stored, marks } = await findBlob(bucket, keys.blob)
  if (stored === undefined || marks.length > 0) await removeSums(bucket, keys.sums, size)
}

/**
 * Reads a whole blob slowly and compares it with its name, a second time if it differs. A damaged blob is replaced by
 * its newest version that is sound.
 */
export const checkBlob = async (
  bucket: Bucket,
  keys: BlobKeys,
  base: string,
  bytesPerSecond: number,
  signal: AbortSignal
): Promise<BlobCheckResult> => {
  const find = async (version?: string) => {
    const found = await examineObject(bucket, keys.blob, bytesPerSecond, signal, version)
    return found.sha256 === keys.sha256 ? found : undefined
  }
  try {
    const found = (await find()) ?? (await find())
    if (found !== undefined) {
      const isKnown = found.size <= withoutSums || (await readSums(bucket, keys.sums, signal)) !== undefined
      if (!isKnown) await addSums(bucket, keys, found)
      return "sound"
    }
  } catch (error) {
    if (!isMissing(error)) throw error
    // A missing bucket is no missing blob.
    await page(bucket, { Prefix: base, MaxKeys: 1 }, signal)
    return "missing"
  }
  for (const version of await versionsOf(bucket, keys.blob)) {
    const found = await find(version)
    if (found === undefined) continue
    const from = `${copySource(bucket.name, keys.blob)}?versionId=${encodeURIComponent(version)}`
    await copyObject(bucket, from, keys.blob, found.size, signal)
    await writeSums(bucket, keys.sums, found.sums)
    return "repaired"
  }
  return "damaged"
}
