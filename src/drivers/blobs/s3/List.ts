import type { StoredBlob } from "../Blobs.ts"
import type { Bucket } from "./Bucket.ts"
import type { Keys } from "./Keys.ts"
import { pages, storedAt } from "./Look.ts"
import { isLeft } from "./Names.ts"
import { removeObject } from "./Publish.ts"

/** Whether the entry is the mark of a removal whose process has died. */
const isLeftMark = (entry: string, modified: number): boolean => {
  const name = /^[0-9a-f]{64}\.removing\.(.+)$/.exec(entry)?.[1]
  return name !== undefined && isLeft(name, modified)
}

/** The blobs of a tenant, ordered by hash, which is the order of their keys; one page at a time. */
export async function* listBlobs(bucket: Bucket, keys: Keys, tenant: string): AsyncGenerator<StoredBlob> {
  const prefix = keys.blobs(tenant)
  for await (const { objects } of pages(bucket, { Prefix: prefix })) {
    for (const object of objects) {
      const sha256 = object.key.slice(prefix.length)
      if (/^[0-9a-f]{64}$/.test(sha256)) yield { sha256, size: object.size, storedAt: storedAt(object) }
      else if (isLeftMark(sha256, object.modified)) void removeObject(bucket, object.key).catch(() => {})
    }
  }
}
