import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload,
  PutObjectCommand
} from "@aws-sdk/client-s3"
import { Overdue } from "../disk/FileCalls.ts"
import { type Bucket, removeObject } from "./Bucket.ts"
import { isLeft, isTenant, type Keys, named } from "./Keys.ts"
import { findBlob, pages, storedAt } from "./ListObjects.ts"
import { removeSums } from "./Sums.ts"

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
    let size = 0
    const isOld = async () => {
      const { stored } = await findBlob(bucket, key)
      size = stored?.size ?? 0
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
    await removeSums(bucket, keys.sums(tenant, sha256), size)
    await removeObject(bucket, key)
    await unmark()
    return true
  })

const uploadsBelow = async (bucket: Bucket, prefix: string): Promise<ReadonlyArray<MultipartUpload>> => {
  const uploads: Array<MultipartUpload> = []
  let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } | undefined = {}
  while (marker !== undefined) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      Bucket: bucket.name,
      Prefix: prefix,
      ...marker
    })
    const found = await bucket.quick((limits) => bucket.client.send(command, limits))
    uploads.push(...(found.Uploads ?? []))
    marker =
      found.IsTruncated && found.NextKeyMarker !== undefined
        ? { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker ?? "" }
        : undefined
  }
  return uploads
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

/** Removes temporary objects that no process uses any more. Returns their number, and whether others are in use. */
const sweepObjects = async (bucket: Bucket, prefix: string) => {
  let swept = 0
  let isUsed = false
  for await (const { objects } of pages(bucket, { Prefix: prefix })) {
    for (const { key, modified } of objects) {
      if (isLeft(nameOf(key), modified)) {
        await removeObject(bucket, key)
        swept++
      } else isUsed = true
    }
  }
  return { swept, isUsed }
}

const sweepTenant = async (bucket: Bucket, temporaries: string, uploads: ReadonlyArray<MultipartUpload>) => {
  const { swept, isUsed } = await sweepObjects(bucket, temporaries)
  let aborted = 0
  for (const { Key = "", UploadId, Initiated } of uploads) {
    // An upload to a blob's own key copies a temporary object, which exists until the copy is done.
    const isOver = Key.startsWith(temporaries) ? isLeft(nameOf(Key), Initiated?.getTime() ?? 0) : !isUsed
    if (!isOver) continue
    const command = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })
    await bucket.quick((limits) => bucket.client.send(command, limits))
    aborted++
  }
  return swept + aborted
}

/** Removes the leftovers of dead processes and of this process's failed attempts. Returns their number. */
export const sweepLeftovers = async (bucket: Bucket, keys: Keys): Promise<number> => {
  const tenantOf = (key: string) => key.slice(keys.base.length).split("/")[0] ?? ""
  // Listed before the objects: a copy that begins later is not in this list, and one that ends meanwhile cannot be
  // aborted.
  const uploads = Map.groupBy(await uploadsBelow(bucket, keys.base), ({ Key = "" }) => tenantOf(Key))
  const tenants = new Set(uploads.keys())
  for await (const { folders } of pages(bucket, { Prefix: keys.base, Delimiter: "/" })) {
    for (const folder of folders) tenants.add(tenantOf(folder))
  }
  let swept = 0
  for (const tenant of tenants) {
    // Other entries of the bucket do not belong to the gateway.
    if (!isTenant(tenant)) continue
    swept += await sweepTenant(bucket, keys.temporaries(tenant), uploads.get(tenant) ?? []).catch(() => 0)
  }
  return swept
}
