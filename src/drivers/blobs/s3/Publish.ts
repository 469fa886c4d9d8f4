import { setTimeout as sleep } from "node:timers/promises"
import { CopyObjectCommand, DeleteObjectCommand, PutObjectCommand, UploadPartCopyCommand } from "@aws-sdk/client-s3"
import { Overdue } from "../Calls.ts"
import type { Bucket } from "./Bucket.ts"
import type { Collected } from "./Collect.ts"
import { copySource } from "./Keys.ts"
import { type Listed, look } from "./Look.ts"
import { Multipart } from "./Multipart.ts"

const mib = 1024 * 1024

/** Maximum size of one server-side copy: a larger one could take longer than the deadline. At most 10 000 parts. */
const onePiece = 256 * mib
const copyPart = (size: number): number => Math.max(128 * mib, Math.ceil(size / 10_000))

const copyInParts = async (bucket: Bucket, from: string, to: string, size: number, signal: AbortSignal) => {
  const upload = await Multipart.create(bucket, to, signal)
  try {
    const source = { Bucket: bucket.name, Key: to, CopySource: copySource(bucket.name, from) }
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

/** Gives the bytes their key. An existing object is replaced by the same bytes, so its time is updated. */
const put = async (bucket: Bucket, key: string, taken: Collected, signal: AbortSignal): Promise<void> => {
  if ("held" in taken) {
    const command = new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: taken.held })
    await bucket.turns.take(() => bucket.steady((limits) => bucket.client.send(command, limits), signal), signal)
  } else if (taken.size <= onePiece) {
    const CopySource = copySource(bucket.name, taken.temporary)
    const command = new CopyObjectCommand({ Bucket: bucket.name, Key: key, CopySource })
    await bucket.steady((limits) => bucket.client.send(command, limits), signal)
  } else await copyInParts(bucket, taken.temporary, key, taken.size, signal)
}

/** The lifetime of a mark in deadlines (together a minute): a removal has ended or failed long before. */
const markLife = 12

const isLive = (mark: Listed, stored: Listed | undefined, deadline: number): boolean =>
  stored === undefined || stored.modified - mark.modified < markLife * deadline

/**
 * Stores the bytes under `key` and returns when no pending removal can affect them. A remover first marks the key and
 * then checks the time of the last write. So either it sees this write, or its mark is visible here and this waits
 * until the removal has ended.
 */
export const publish = async (bucket: Bucket, key: string, taken: Collected, signal: AbortSignal): Promise<void> => {
  await put(bucket, key, taken, signal)
  const end = performance.now() + 3 * bucket.deadline
  for (;;) {
    const { stored, marks } = await look(bucket, key, signal)
    if (!marks.some((mark) => isLive(mark, stored, bucket.deadline))) {
      for (const mark of marks) await removeObject(bucket, mark.key).catch(() => {})
      if (stored !== undefined) return
      await put(bucket, key, taken, signal)
    }
    if (performance.now() > end) throw new Overdue("somebody does not end removing the same content")
    if (marks.length > 0) await sleep(100, undefined, { signal })
  }
}

/** Removes an object; a missing one is not an error. */
export const removeObject = async (bucket: Bucket, key: string, signal?: AbortSignal): Promise<void> => {
  const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: key })
  await bucket.quick((limits) => bucket.client.send(command, limits), signal)
}
