import { Readable } from "node:stream"
import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import type { Stream } from "effect"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { ByteSpan } from "../Blobs.ts"
import { Overdue } from "../Calls.ts"
import { type Chunks, chunkSize, streamOf } from "../Opened.ts"
import { Body } from "./Body.ts"
import type { Bucket } from "./Bucket.ts"

interface Opened {
  readonly span: ByteSpan
  readonly body: Body
}

const sizeOf = async (bucket: Bucket, key: string, signal?: AbortSignal): Promise<number> => {
  const command = new HeadObjectCommand({ Bucket: bucket.name, Key: key })
  return (await bucket.quick((limits) => bucket.client.send(command, limits), signal)).ContentLength ?? 0
}

/** A range cannot say that it is empty, so nothing is asked for then but the size. */
const openNothing = async (bucket: Bucket, key: string, span: ByteSpan, signal?: AbortSignal): Promise<Opened> => {
  if ((await sizeOf(bucket, key, signal)) < span.end) throw new Error("the blob is shorter than it was")
  return { span, body: new Body(Readable.from([])) }
}

const open = async (bucket: Bucket, key: string, span: ByteSpan | undefined, signal?: AbortSignal): Promise<Opened> => {
  if (span !== undefined && span.end <= span.start) return openNothing(bucket, key, span, signal)
  const range = span === undefined ? {} : { Range: `bytes=${span.start}-${span.end - 1}` }
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: key, ...range })
  const answer = await bucket.quick((limits) => bucket.client.send(command, limits), signal)
  if (!(answer.Body instanceof Readable)) throw new Error("the storage has sent no bytes")
  const size = answer.ContentLength ?? -1
  const body = new Body(answer.Body)
  const asked = span ?? { start: 0, end: size }
  if (size !== asked.end - asked.start) {
    body.close()
    throw new Error("the blob is shorter than it was")
  }
  return { span: asked, body }
}

/** Takes an opened blob in chunks of 512 KiB. */
class BodyChunks implements Chunks {
  readonly #reopen: (span: ByteSpan) => Promise<Opened>
  readonly #deadline: number
  readonly #end: number
  #position: number
  #body: Body | undefined
  #mayReopen = true

  constructor(opened: Opened, deadline: number, reopen: (span: ByteSpan) => Promise<Opened>) {
    this.#body = opened.body
    this.#position = opened.span.start
    this.#end = opened.span.end
    this.#deadline = deadline
    this.#reopen = reopen
  }

  /**
   * The next chunk. A connection that breaks is made anew, unless that has just been tried in vain: servers end those
   * that a slow reader leaves alone for long.
   */
  readonly next = async (): Promise<Buffer | undefined> => {
    const length = Math.min(chunkSize, this.#end - this.#position)
    if (length <= 0) return undefined
    try {
      this.#body ??= (await this.#reopen({ start: this.#position, end: this.#end })).body
      const chunk = await this.#body.take(length, this.#deadline)
      this.#position += length
      this.#mayReopen = true
      return chunk
    } catch (error) {
      this.close()
      this.#body = undefined
      if (error instanceof Overdue || !this.#mayReopen) throw error
      this.#mayReopen = false
      return this.next()
    }
  }

  readonly close = (): void => this.#body?.close()
}

/**
 * The bytes of a span (the whole blob by default). The server is sending when the promise resolves. The connection is
 * closed and made again as {@link streamOf} says.
 */
export const readBlob = async (
  bucket: Bucket,
  key: string,
  span: ByteSpan | undefined,
  signal: AbortSignal
): Promise<Stream.Stream<Uint8Array, StorageUnreachable>> => {
  const first = await open(bucket, key, span, signal)
  const reopen = (span: ByteSpan) => open(bucket, key, span)
  return streamOf(
    first,
    {
      reopen: () => reopen(first.span),
      chunks: (opened) => new BodyChunks(opened, bucket.deadline, reopen),
      close: ({ body }) => body.close()
    },
    signal
  )
}

/** The size of a blob, or `undefined` when there is none. */
export const blobSize = async (bucket: Bucket, key: string): Promise<number | undefined> => sizeOf(bucket, key)
