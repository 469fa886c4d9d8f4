import { Readable } from "node:stream"
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand } from "@aws-sdk/client-s3"
import { firstWildcard, isGlob } from "../../languages/Glob.ts"
import { suggestion } from "../../languages/Suggest.ts"
import type { S3Access } from "../../nodes/ports/NodeFiles.ts"
import { objectOf } from "../../nodes/settings/StorageSettings.ts"
import { type Bucket, isMissing, refusalOf } from "../blobs/s3/Bucket.ts"
import { Body } from "../blobs/s3/GetObject.ts"
import { page, pages } from "../blobs/s3/ListObjects.ts"
import { Failure } from "../Failure.ts"
import { chunkBytes, plain } from "../files/Compression.ts"
import { matcher } from "../files/PathNames.ts"
import type { Outbound } from "../Outbound.ts"
import { bucketOf, mayPass, objectFailure, replaced } from "./ObjectStore.ts"

const maxFound = 100_000
/** Bytes that one request reads, and how many requests of a large object run at once: their results wait in memory. */
export const rangeBytes = 4 * 1024 * 1024
const parallel = 4
/** How often a range is requested when its transfer breaks off. */
const tries = 3

/** A piece of an object, and what is known of the whole. */
interface Range {
  readonly bytes: Uint8Array
  readonly total: number
  readonly etag: string | undefined
}

/** The objects of an S3 storage, to read. Paths are `s3://bucket/key`. */
export class ObjectFiles {
  readonly #access: S3Access
  readonly #outbound: Outbound
  readonly #signal: AbortSignal
  #bucket: Bucket | undefined

  constructor(access: S3Access, outbound: Outbound, signal: AbortSignal) {
    this.#access = access
    this.#outbound = outbound
    this.#signal = signal
  }

  #of(path: string): { readonly bucket: Bucket; readonly key: string } {
    const { bucket, key } = objectOf(path)
    if (this.#bucket?.name !== bucket) this.#bucket = bucketOf(path, this.#access, this.#outbound)
    return { bucket: this.#bucket, key }
  }

  /** The objects that match the pattern, sorted. Fails when a key without wildcards does not exist. */
  async glob(pattern: string): Promise<ReadonlyArray<string>> {
    try {
      const { bucket, key } = this.#of(pattern)
      return await (isGlob(key) ? this.#matching(bucket, key, pattern) : this.#existing(bucket, key, pattern))
    } catch (error) {
      this.#signal.throwIfAborted()
      throw objectFailure(error, pattern, "list the bucket and read objects there")
    }
  }

  async #matching(bucket: Bucket, key: string, pattern: string): Promise<ReadonlyArray<string>> {
    const found: Array<string> = []
    const matches = matcher(key)
    const prefix = key.slice(0, firstWildcard(key))
    for await (const { objects } of pages(bucket, prefix === "" ? {} : { Prefix: prefix })) {
      this.#signal.throwIfAborted()
      for (const { key: name } of objects) {
        // Folders of some tools are empty objects whose keys end in a slash.
        if (name.endsWith("/") || !matches(name)) continue
        if (found.push(`s3://${bucket.name}/${name}`) > maxFound) {
          throw new Failure(`"${pattern}" names more than ${maxFound} objects`)
        }
      }
    }
    return found.sort()
  }

  async #existing(bucket: Bucket, key: string, path: string): Promise<ReadonlyArray<string>> {
    const command = new HeadObjectCommand({ Bucket: bucket.name, Key: key })
    try {
      await bucket.quick((limits) => bucket.client.send(command, limits), this.#signal)
      return [path]
    } catch (error) {
      if (!isMissing(error)) throw error
      // A head tells no more than 404: what is listed tells whether there is the bucket, and what may be meant.
      const folder = key.slice(0, key.lastIndexOf("/") + 1)
      const { objects, folders } = await page(bucket, { Prefix: folder, Delimiter: "/" }, this.#signal)
      const near = suggestion(key, [...objects.map((object) => object.key), ...folders])
      throw new Failure(`The object "${key}" does not exist in the bucket "${bucket.name}"${near}`)
    }
  }

  /** The bytes of an object, of which several ranges are read at once; those of a compressed one decompressed. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    yield* plain(path, this.#bytes(path))
  }

  async *#bytes(path: string): AsyncGenerator<Uint8Array> {
    const first = await this.#range(path, 0, undefined)
    yield* pieces(first.bytes)
    const stop = new AbortController()
    const underWay: Array<Promise<Range>> = []
    let next = first.bytes.length
    const request = () => {
      if (next >= first.total) return
      const range = this.#range(path, next, first, stop.signal)
      // Whoever waits for it gets the failure.
      range.catch(() => {})
      underWay.push(range)
      next += rangeBytes
    }
    try {
      for (let count = 0; count < parallel; count++) request()
      for (let range = underWay.shift(); range !== undefined; range = underWay.shift()) {
        const { bytes } = await range
        request()
        yield* pieces(bytes)
      }
    } finally {
      stop.abort()
    }
  }

  /** Reads a range. All ranges are of the object that the first one has met. */
  async #range(path: string, from: number, known?: Range, stop?: AbortSignal): Promise<Range> {
    const signal = stop === undefined ? this.#signal : AbortSignal.any([stop, this.#signal])
    for (let left = tries; ; left--) {
      try {
        return await this.#tryRange(path, from, known, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (left <= 1 || !mayPass(error)) throw objectFailure(error, path, "read it")
      }
    }
  }

  async #tryRange(path: string, from: number, known: Range | undefined, signal: AbortSignal): Promise<Range> {
    const { bucket, key } = this.#of(path)
    const to = Math.min(from + rangeBytes, known?.total ?? Number.POSITIVE_INFINITY)
    const command = new GetObjectCommand({
      Bucket: bucket.name,
      Key: key,
      Range: `bytes=${from}-${to - 1}`,
      ...(known?.etag === undefined ? {} : { IfMatch: known.etag })
    })
    try {
      const answer = await bucket.quick((limits) => bucket.client.send(command, limits), signal)
      if (!(answer.Body instanceof Readable)) throw new Error("the storage has sent no bytes")
      const body = new Body(answer.Body)
      const close = () => body.close()
      signal.addEventListener("abort", close, { once: true })
      try {
        const { size, total } = extentOf(answer, from, to)
        // Not every server obeys the condition.
        if (known !== undefined && (total !== known.total || answer.ETag !== known.etag)) throw replaced(path)
        return { bytes: await body.take(size, bucket.deadline), total, etag: answer.ETag }
      } finally {
        signal.removeEventListener("abort", close)
        close()
      }
    } catch (error) {
      // An empty object has no range.
      if (from === 0 && refusalOf(error)?.$metadata.httpStatusCode === 416) {
        return { bytes: new Uint8Array(), total: 0, etag: undefined }
      }
      throw error
    }
  }
}

/**
 * The range of an answer's bytes and the size of the whole object. An object that fits into a range may be sent as a
 * whole. If the server sends any other range, bytes would be lost or repeated.
 */
const extentOf = (
  { ContentRange, ContentLength }: GetObjectCommandOutput,
  from: number,
  to: number
): { readonly size: number; readonly total: number } => {
  const [, begin, last, all] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? "")?.map(Number) ?? []
  if (ContentRange === undefined && from === 0 && ContentLength !== undefined && ContentLength <= to) {
    return { size: ContentLength, total: ContentLength }
  }
  if (begin !== from || last === undefined || all === undefined || last + 1 !== Math.min(to, all)) {
    throw new Failure("The server of the S3 storage does not send the range of bytes that it is asked for")
  }
  return { size: last + 1 - from, total: all }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}
