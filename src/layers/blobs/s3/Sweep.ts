import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type MultipartUpload } from "@aws-sdk/client-s3"
import type { Bucket } from "./Bucket.ts"
import type { Keys } from "./Keys.ts"
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

const sweepTenant = async (bucket: Bucket, keys: Keys, tenant: string): Promise<number> => {
  let swept = 0
  const temporaries = keys.temporaries(tenant)
  // In this order: an upload to a blob's own key is a copy of a temporary object, which is there until it is done.
  const uploads = await uploadsBelow(bucket, `${keys.base}${tenant}/`)
  let isCopying = false
  for await (const { objects } of pages(bucket, { Prefix: temporaries })) {
    for (const { key, modified } of objects) {
      if (isLeft(nameOf(key), modified)) {
        await removeObject(bucket, key)
        swept++
      } else isCopying = true
    }
  }
  for (const { Key = "", UploadId, Initiated } of uploads) {
    const isOver = Key.startsWith(temporaries) ? isLeft(nameOf(Key), Initiated?.getTime() ?? 0) : !isCopying
    if (!isOver) continue
    const command = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })
    await bucket.quick((limits) => bucket.client.send(command, limits)).catch(() => {})
    swept++
  }
  return swept
}

/** Ends what dead processes, and failed attempts of this one, have left; tells how much that was. */
export const sweepLeftovers = async (bucket: Bucket, keys: Keys): Promise<number> => {
  let swept = 0
  for await (const { folders } of pages(bucket, { Prefix: keys.base, Delimiter: "/" })) {
    for (const folder of folders) {
      const tenant = folder.slice(keys.base.length, -1)
      // Whatever else is in the bucket is not ours to look at.
      swept += await sweepTenant(bucket, keys, tenant).catch(() => 0)
    }
  }
  return swept
}
