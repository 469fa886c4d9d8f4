import { setTimeout as sleep } from "node:timers/promises"
import { CopyObjectCommand, PutObjectCommand, UploadPartCopyCommand } from "@aws-sdk/client-s3"
import type { Blob } from "../Blobs.ts"
import { Overdue } from "../disk/FileCalls.ts"
import { type Bucket, removeObject } from "./Bucket.ts"
import { copySource, type Keys, named } from "./Keys.ts"
import { findBlob, type ListedObject } from "./ListObjects.ts"
import { Multipart } from "./Multipart.ts"
import { writeSums } from "./Sums.ts"
import { collect, type ReceivedBlob } from "./UploadParts.ts"

const mib = 1024 * 1024

/**
 * Maximum size of a single copy in bytes: the server might be silent for too long with a larger one. Larger objects are
 * copied in at most 10 000 parts.
 */
const onePiece = 256 * mib
const copyPart = (size: number): number => Math.max(128 * mib, Math.ceil(size / 10_000))

const copyInParts = async (bucket: Bucket, from: string, to: string, size: number, signal: AbortSignal) => {
  const upload = await Multipart.create(bucket, to, signal)
  try {
    const source = { Bucket: bucket.name, Key: to, CopySource: from }
    for (let start = 0, length = copyPart(size); start < size; start += length) {
      const CopySourceRange = `bytes=${start}-${Math.min(start + length, size) - 1}`
      await upload.add(async (UploadId, PartNumber, limits) => {
        const command = new UploadPartCopyCommand({ ...source, UploadId, PartNumber, CopySourceRange })
        return (await bucket.client.send(command, limits)).CopyPartResult?.ETag
      })
    }
    await upload.complete()
  } catch (error) {
    const cleaned = upload.abort().catch(() => {})
    if (!(error instanceof Overdue)) await cleaned
    throw error
  }
}

/** Has the server copy an object; `from` is the value of `x-amz-copy-source`. */
export const copyObject = async (
  bucket: Bucket,
  from: string,
  to: string,
  size: number,
  signal: AbortSignal
): Promise<void> => {
  if (size > onePiece) return copyInParts(bucket, from, to, size, signal)
  const command = new CopyObjectCommand({ Bucket: bucket.name, Key: to, CopySource: from })
  await bucket.steady((limits) => bucket.client.send(command, limits), signal)
}

/**
 * Stores the bytes under their key. An existing blob is replaced by equal bytes, which renews its modification time.
 */
const put = async (bucket: Bucket, key: string, taken: ReceivedBlob, signal: AbortSignal): Promise<void> => {
  if ("temporary" in taken) {
    return copyObject(bucket, copySource(bucket.name, taken.temporary), key, taken.size, signal)
  }
  const command = new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: taken.held })
  await bucket.turns.take(() => bucket.steady((limits) => bucket.client.send(command, limits), signal), signal)
}

/** Number of deadlines (one minute in all) after which a removal has certainly ended or been given up. */
const markLife = 12

const isLive = (mark: ListedObject, stored: ListedObject | undefined, deadline: number): boolean =>
  stored === undefined || stored.modified - mark.modified < markLife * deadline

/**
 * Stores the bytes under `key`, and returns when no removal of the earlier blob can be in progress. A remover first
 * writes a mark and then checks the time of the last write. So either it sees this write, or its mark is seen here, and
 * this waits until the removal is done.
 */
const publish = async (bucket: Bucket, key: string, taken: ReceivedBlob, signal: AbortSignal): Promise<void> => {
  await put(bucket, key, taken, signal)
  const end = performance.now() + 3 * bucket.deadline
  for (;;) {
    const { stored, marks } = await findBlob(bucket, key, signal)
    if (!marks.some((mark) => isLive(mark, stored, bucket.deadline))) {
      for (const mark of marks) await removeObject(bucket, mark.key).catch(() => {})
      if (stored !== undefined) return
      await put(bucket, key, taken, signal)
    }
    if (performance.now() > end) throw new Overdue("a concurrent removal of the same content does not end")
    if (marks.length > 0) await sleep(100, undefined, { signal })
  }
}

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
      await writeSums(bucket, keys.sums(tenant, taken.sha256), taken.sums)
      await clean()
      return { sha256: taken.sha256, size: taken.size }
    } catch (error) {
      const cleaned = clean()
      // An unresponsive server would block the cleanup too; the sweep does it later.
      if (!(error instanceof Overdue)) await cleaned
      throw error
    }
  })
