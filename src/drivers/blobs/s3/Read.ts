import { Readable } from "node:stream"
import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import { Cause, Effect, Stream } from "effect"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { ByteSpan } from "../Blobs.ts"
import { Overdue } from "../Calls.ts"
import { chunkSize } from "../DiskRead.ts"
import { Body } from "./Body.ts"
import type { Bucket } from "./Bucket.ts"

/** Milliseconds that an opened blob waits for its reader. */
const patience = 10_000

interface Opened {
  readonly span: ByteSpan
  readonly body: Body
}

const sizeOf = async (bucket: Bucket, key: string, signal?: AbortSignal): Promise<number> => {
  const command = new HeadObjectCommand({ Bucket: bucket.name, Key: key })
  return (await bucket.quick((limits) => bucket.client.send(command, limits), signal)).ContentLength ?? 0
}

/** A Range header cannot express an empty range, so only the size is requested. */
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

/** Reads an opened blob in chunks of 512 KiB. */
class Chunks {
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
   * The next chunk. A broken connection is reopened once, because servers close connections that a slow reader leaves
   * idle.
   */
  async next(): Promise<Buffer | undefined> {
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
 * The bytes of a span, by default the whole blob. The server is already sending when the promise resolves, so a blob
 * that is removed later can still be read. The connection is closed when the stream ends in any way, and after ten
 * seconds without a reader. A stream that is run later than that, or a second time, sends a new request.
 */
export const readBlob = async (
  bucket: Bucket,
  key: string,
  span: ByteSpan | undefined,
  signal: AbortSignal
): Promise<Stream.Stream<Uint8Array, StorageUnreachable>> => {
  const first = await open(bucket, key, span, signal)
  const reopen = (span: ByteSpan) => open(bucket, key, span)
  let waiting: Opened | undefined = first
  const giveUp = () => {
    waiting = undefined
    first.body.close()
  }
  const timer = setTimeout(giveUp, patience).unref()
  if (signal.aborted) {
    clearTimeout(timer)
    giveUp()
  }

  const take = async (): Promise<Chunks> => {
    const opened = waiting ?? (await reopen(first.span))
    waiting = undefined
    clearTimeout(timer)
    return new Chunks(opened, bucket.deadline, reopen)
  }
  const unreachable = () => new StorageUnreachable({ storage: "data" })
  const acquire = Effect.uninterruptible(Effect.tryPromise({ try: take, catch: unreachable }))
  return Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(acquire, (chunks) => Effect.sync(chunks.close)),
      (chunks) =>
        Stream.fromPull(
          Effect.succeed(
            Effect.flatMap(Effect.tryPromise({ try: () => chunks.next(), catch: unreachable }), (chunk) =>
              chunk === undefined ? Cause.done() : Effect.succeed([chunk] as const)
            )
          )
        )
    )
  )
}

/** The size of a blob in bytes, or `undefined` when there is none. */
export const blobSize = async (bucket: Bucket, key: string): Promise<number | undefined> => sizeOf(bucket, key)
