import { Readable } from "node:stream"
import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import type { Stream } from "effect"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { ByteSpan } from "../Blobs.ts"
import { type StoredSums, withoutSums } from "../BlockSums.ts"
import { examine, type Found } from "../Check.ts"
import type { Chunks } from "../Chunks.ts"
import { Overdue } from "../disk/FileCalls.ts"
import { chunkSize, streamOf } from "../disk/OpenBlob.ts"
import { DamagedBlob, type Plan, planOf, verified } from "../disk/VerifiedChunks.ts"
import type { Bucket } from "./Bucket.ts"
import { readSums } from "./Sums.ts"

/** Number of bytes that are received in advance. */
const ahead = 512 * 1024

/**
 * The body of a response, read in pieces of a requested length. The server has a deadline only while a read is waiting;
 * without reads, the transfer pauses.
 */
export class Body {
  readonly #source: Readable
  #chunks: Array<Buffer> = []
  #bytes = 0
  #ended: { readonly reason: Error } | undefined
  #waiting: { readonly bytes: number; readonly wake: () => void; readonly timer: NodeJS.Timeout } | undefined

  constructor(source: Readable) {
    this.#source = source
    const end = (reason?: Error | null) => {
      this.#ended ??= { reason: reason ?? new Error("the blob is shorter than it was") }
      this.#waiting?.wake()
    }
    source.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
      if (this.#bytes >= Math.max(ahead, this.#waiting?.bytes ?? 0)) source.pause()
      this.#waiting?.timer.refresh()
      if (this.#bytes >= (this.#waiting?.bytes ?? Number.POSITIVE_INFINITY)) this.#waiting?.wake()
    })
    source.on("error", end)
    source.on("end", () => end())
    source.on("close", () => end(source.errored))
  }

  /**
   * Returns exactly `bytes` bytes. Fails when the body ends before, or when nothing arrives for `deadline`
   * milliseconds.
   */
  async take(bytes: number, deadline: number): Promise<Buffer> {
    if (this.#bytes < bytes && this.#ended === undefined) await this.#more(bytes, deadline)
    if (this.#bytes < bytes) throw this.#ended?.reason ?? new Overdue("the storage has stopped sending")
    const all = Buffer.concat(this.#chunks)
    const rest = all.subarray(bytes)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
    if (this.#bytes < ahead) this.#source.resume()
    return all.subarray(0, bytes)
  }

  #more(bytes: number, deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting = undefined
        resolve()
      }
      const timer = setTimeout(wake, deadline)
      this.#waiting = { bytes, wake, timer }
      this.#source.resume()
    })
  }

  readonly close = (): void => {
    this.#source.destroy()
  }
}

interface Opened {
  readonly span: ByteSpan
  /** Size of the whole object in bytes. */
  readonly total: number
  readonly body: Body
}

const sizeOf = async (bucket: Bucket, key: string, signal?: AbortSignal): Promise<number> => {
  const command = new HeadObjectCommand({ Bucket: bucket.name, Key: key })
  return (await bucket.quick((limits) => bucket.client.send(command, limits), signal)).ContentLength ?? 0
}

/** A Range header cannot express an empty range, so only the size is requested. */
const openNothing = async (bucket: Bucket, key: string, span: ByteSpan, signal?: AbortSignal): Promise<Opened> => {
  const total = await sizeOf(bucket, key, signal)
  if (total < span.end) throw new DamagedBlob()
  return { span, total, body: new Body(Readable.from([])) }
}

const open = async (
  bucket: Bucket,
  key: string,
  span: ByteSpan | undefined,
  signal?: AbortSignal,
  version?: string
): Promise<Opened> => {
  if (span !== undefined && span.end <= span.start) return openNothing(bucket, key, span, signal)
  const range = span === undefined ? {} : { Range: `bytes=${span.start}-${span.end - 1}` }
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: key, VersionId: version, ...range })
  const answer = await bucket.quick((limits) => bucket.client.send(command, limits), signal)
  if (!(answer.Body instanceof Readable)) throw new Error("the storage has sent no bytes")
  const size = answer.ContentLength ?? -1
  const total = Number(answer.ContentRange?.split("/")[1] ?? size)
  const body = new Body(answer.Body)
  const asked = span ?? { start: 0, end: size }
  if (size !== asked.end - asked.start) {
    body.close()
    throw new DamagedBlob()
  }
  return { span: asked, total, body }
}

/** Reads an opened blob in chunks of 512 KiB. */
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
   * The next chunk. A broken connection is reopened once, because servers close connections that a slow reader leaves
   * idle.
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

/** The keys of a blob and of its sums, and its hash. */
export interface BlobKeys {
  readonly sha256: string
  readonly blob: string
  readonly sums: string
}

interface Prepared {
  readonly opened: Opened
  readonly bytes: ByteSpan
  readonly plan: Plan
  readonly sums: StoredSums | undefined
}

const isSame = (one: ByteSpan, other: ByteSpan) => one.start === other.start && one.end === other.end

/** Opens the bytes that verify the span. The sums tell which these are, so they come first unless the blob is small. */
const prepare = async (
  bucket: Bucket,
  keys: BlobKeys,
  span: ByteSpan | undefined,
  signal?: AbortSignal
): Promise<Prepared> => {
  const early = span !== undefined && (span.start > 0 || span.end > withoutSums)
  const known = early ? await readSums(bucket, keys.sums, signal) : undefined
  const wanted = known === undefined || span === undefined ? span : planOf(known.size, span, known).read
  const first = await open(bucket, keys.blob, wanted, signal)
  try {
    const bytes = span ?? first.span
    const late = !early && first.total > withoutSums
    const sums = late ? await readSums(bucket, keys.sums, signal) : known
    const plan = planOf(first.total, bytes, sums)
    if (isSame(plan.read, first.span)) return { opened: first, bytes, plan, sums }
    first.body.close()
    return { opened: await open(bucket, keys.blob, plan.read, signal), bytes, plan, sums }
  } catch (error) {
    first.body.close()
    throw error
  }
}

/** The bytes of a span, by default the whole blob, verified: see {@link streamOf}. */
export const readBlob = (
  bucket: Bucket,
  keys: BlobKeys,
  span: ByteSpan | undefined,
  signal: AbortSignal,
  damaged: () => void
): Promise<Stream.Stream<Uint8Array, StorageUnreachable>> => {
  const again = (span: ByteSpan) => open(bucket, keys.blob, span)
  return streamOf(
    {
      open: (signal) => prepare(bucket, keys, span, signal),
      chunks: ({ opened, bytes, plan, sums }) =>
        verified(new BodyChunks(opened, bucket.deadline, again), plan, bytes, keys.sha256, sums),
      close: ({ opened }) => opened.body.close()
    },
    damaged,
    signal
  )
}

/** Reads a whole object, or one of its versions, slowly. */
export const examineObject = async (
  bucket: Bucket,
  key: string,
  bytesPerSecond: number,
  signal: AbortSignal,
  version?: string
): Promise<Found> => {
  const opened = await open(bucket, key, undefined, signal, version)
  const again = (span: ByteSpan) => open(bucket, key, span, signal, version)
  return examine(new BodyChunks(opened, bucket.deadline, again), bytesPerSecond, signal)
}

/** The size of a blob in bytes. */
export const blobSize = (bucket: Bucket, key: string): Promise<number> => sizeOf(bucket, key)
