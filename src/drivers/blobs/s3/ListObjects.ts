import { ListObjectsV2Command, type ListObjectsV2CommandInput } from "@aws-sdk/client-s3"
import type { StoredBlob } from "../Blobs.ts"
import { type Bucket, removeObject } from "./Bucket.ts"
import { isLeft, isTenant, type Keys } from "./Keys.ts"

/** An object of a listing. `modified` and {@link storedAt} are epoch milliseconds of the server's clock. */
export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modified: number
}

/** One page of a listing in key order, with the token of the next page. */
export const page = async (
  bucket: Bucket,
  query: Omit<ListObjectsV2CommandInput, "Bucket">,
  signal?: AbortSignal
): Promise<{
  readonly objects: ReadonlyArray<ListedObject>
  readonly folders: ReadonlyArray<string>
  readonly next: string | undefined
}> => {
  const command = new ListObjectsV2Command({ Bucket: bucket.name, ...query })
  const answer = await bucket.quick((limits) => bucket.client.send(command, limits), signal)
  const objects = (answer.Contents ?? []).map(({ Key = "", Size = 0, LastModified }) => ({
    key: Key,
    size: Size,
    modified: LastModified?.getTime() ?? 0
  }))
  const folders = (answer.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? [])
  return { objects, folders, next: answer.IsTruncated ? answer.NextContinuationToken : undefined }
}

/** All objects below a prefix, one page at a time. */
export async function* pages(
  bucket: Bucket,
  query: Omit<ListObjectsV2CommandInput, "Bucket">
): AsyncGenerator<Awaited<ReturnType<typeof page>>> {
  let next: string | undefined
  do {
    const found = await page(bucket, next === undefined ? query : { ...query, ContinuationToken: next })
    yield found
    next = found.next
  } while (next !== undefined)
}

/** The latest possible time of the last write: Amazon reports whole seconds only. */
export const storedAt = ({ modified }: ListedObject): number => (modified % 1000 === 0 ? modified + 999 : modified)

/** A blob and the marks of its pending removals, in one listing. */
export const findBlob = async (
  bucket: Bucket,
  blob: string,
  signal?: AbortSignal
): Promise<{ readonly stored: ListedObject | undefined; readonly marks: ReadonlyArray<ListedObject> }> => {
  const { objects } = await page(bucket, { Prefix: blob }, signal)
  return {
    stored: objects.find(({ key }) => key === blob),
    marks: objects.filter(({ key }) => key.startsWith(`${blob}.removing.`))
  }
}

/** Whether an entry is the mark of a removal whose process has ended. */
const isLeftMark = (entry: string, modified: number): boolean => {
  const name = /^[0-9a-f]{64}\.removing\.(.+)$/.exec(entry)?.[1]
  return name !== undefined && isLeft(name, modified)
}

/** The blobs of a tenant in the order of their keys and so of their hashes, one page at a time. */
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

/** Whether there is no blob of any tenant. Other entries of the bucket are skipped. */
export const isEmpty = async (bucket: Bucket, keys: Keys): Promise<boolean> => {
  for await (const { folders } of pages(bucket, { Prefix: keys.base, Delimiter: "/" })) {
    for (const folder of folders) {
      const tenant = folder.slice(keys.base.length, -1)
      if (isTenant(tenant) && !(await listBlobs(bucket, keys, tenant).next()).done) return false
    }
  }
  return true
}
