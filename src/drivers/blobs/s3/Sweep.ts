import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type MultipartUpload } from "@aws-sdk/client-s3"
import type { Bucket } from "./Bucket.ts"
import { isTenant, type Keys } from "./Keys.ts"
import { pages } from "./Look.ts"
import { isLeft } from "./Names.ts"
import { removeObject } from "./Publish.ts"

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

/** Removes abandoned objects; returns how many, and whether other processes are still working. */
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
    // An upload to a blob's own key is a copy of a temporary object, which exists until the copy is done.
    const isOver = Key.startsWith(temporaries) ? isLeft(nameOf(Key), Initiated?.getTime() ?? 0) : !isUsed
    if (!isOver) continue
    const command = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })
    await bucket.quick((limits) => bucket.client.send(command, limits))
    aborted++
  }
  return swept + aborted
}

/** Removes the leftovers of dead processes and of failed attempts of this one; returns how many. */
export const sweepLeftovers = async (bucket: Bucket, keys: Keys): Promise<number> => {
  const tenantOf = (key: string) => key.slice(keys.base.length).split("/")[0] ?? ""
  // Uploads are listed before the objects: a copy that begins now is not in the list, and one that ends meanwhile
  // cannot be aborted any more.
  const uploads = Map.groupBy(await uploadsBelow(bucket, keys.base), ({ Key = "" }) => tenantOf(Key))
  const tenants = new Set(uploads.keys())
  for await (const { folders } of pages(bucket, { Prefix: keys.base, Delimiter: "/" })) {
    for (const folder of folders) tenants.add(tenantOf(folder))
  }
  let swept = 0
  for (const tenant of tenants) {
    // Other objects in the bucket do not belong to the gateway.
    if (!isTenant(tenant)) continue
    swept += await sweepTenant(bucket, keys.temporaries(tenant), uploads.get(tenant) ?? []).catch(() => 0)
  }
  return swept
}
