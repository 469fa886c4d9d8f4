import { createHash } from "node:crypto"
import { UploadPartCommand } from "@aws-sdk/client-s3"
import type { Blob } from "../Blobs.ts"
import { BlockSums, withoutSums } from "../BlockSums.ts"
import { Overdue } from "../disk/FileCalls.ts"
import { writeBlocks } from "../WriteBlocks.ts"
import type { Bucket } from "./Bucket.ts"
import { Multipart } from "./Multipart.ts"

const first = 64 * 1024

/**
 * Collects bytes into parts. The buffers of sent parts are reused, because garbage of this size would stay for long.
 * Only the first buffer grows on demand, as most contents are small.
 */
export class PartBuffer {
  #buffer: Buffer
  #bytes = 0
  #size: number
  readonly #free: Array<Buffer> = []

  /** `size` is that of the first part, in bytes. */
  constructor(size: number) {
    this.#size = size
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(first, size))
  }

  get isFull(): boolean {
    return this.#bytes === this.#size
  }

  /** Copies as much of the chunk as the part has room for, and returns the rest. */
  add(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, this.#size - this.#bytes)
    const wanted = this.#bytes + taken.length
    if (wanted > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#size, Math.max(wanted, 2 * this.#buffer.length)))
      this.#buffer.copy(larger, 0, 0, this.#bytes)
      this.#buffer = larger
    }
    this.#buffer.set(taken, this.#bytes)
    this.#bytes = wanted
    return chunk.subarray(taken.length)
  }

  /** Returns the collected bytes; the next part will have `nextSize` bytes. */
  take(nextSize: number): Buffer {
    const part = this.#buffer.subarray(0, this.#bytes)
    const reusable = this.#free.findIndex((buffer) => buffer.length === nextSize)
    this.#buffer = reusable === -1 ? Buffer.allocUnsafeSlow(nextSize) : this.#free.splice(reusable, 1)[0]!
    this.#size = nextSize
    this.#bytes = 0
    return part
  }

  /** Returns the collected bytes at the end of the source. */
  rest(): Buffer {
    return this.#buffer.subarray(0, this.#bytes)
  }

  /** Allows the buffer of a sent part to be reused. */
  release(part: Buffer): void {
    this.#free.push(part)
  }
}

const mib = 1024 * 1024

/** Contents up to this size are held in memory until their hash, and so their key, is known. */
const smallPart = 8 * mib

// All parts but the last have the same size, as some servers require. Larger parts follow only beyond 39 GiB, where 10
// 000 parts of that size do not suffice.
const partSize = (number: number): number => (number <= 5000 ? smallPart : 64 * mib)

/** Received bytes, held in memory or stored under a temporary key, and the file of their sums. */
export type ReceivedBlob = Blob & { readonly sums: Buffer | undefined } & (
    | { readonly held: Buffer }
    | { readonly temporary: string }
  )

/**
 * Receives and hashes a source: a small one stays in memory, a larger one is uploaded to `key` in parts. The object
 * under `key` is temporary. Nothing is left there when this fails.
 */
export const collect = async (
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal
): Promise<ReceivedBlob> => {
  const hash = createHash("sha256")
  const sums = new BlockSums()
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  // Fails at once instead of with the next part: a slow source may take long to fill it.
  const giveUp = (cause: unknown) => failed.abort(cause)
  let upload: Multipart | undefined
  const filling = new PartBuffer(partSize(1))
  let size = 0
  let parts = 0

  const ship = async (part: Buffer) => {
    upload ??= await Multipart.create(bucket, key, stop)
    parts++
    await upload.add(async (UploadId, PartNumber, limits) => {
      const target = { Bucket: bucket.name, Key: key, UploadId, PartNumber }
      const { ETag } = await bucket.client.send(new UploadPartCommand({ ...target, Body: part }), limits)
      filling.release(part)
      return ETag
    }, giveUp)
  }
  // Runs one write at a time: `writeBlocks` waits for each before the next.
  const write = async (buffers: ReadonlyArray<Uint8Array>, length: number) => {
    size += length
    for (const buffer of buffers) {
      hash.update(buffer)
      sums.add(buffer)
      for (let rest = filling.add(buffer); filling.isFull; rest = filling.add(rest)) {
        await ship(filling.take(partSize(parts + 2)))
      }
    }
  }

  let writing: Promise<void> = Promise.resolve()
  try {
    await writeBlocks(
      source,
      (buffers, length) => {
        writing = write(buffers, length)
        return writing
      },
      stop
    )
    const rest = filling.rest()
    const blob = { sha256: hash.digest("hex"), size, sums: size > withoutSums ? sums.encode() : undefined }
    if (upload === undefined) return { ...blob, held: rest }
    if (rest.length > 0) await ship(rest)
    await upload.complete()
    return { ...blob, temporary: key }
  } catch (error) {
    giveUp(error)
    // The upload may be starting: wait until its id is known, then abort it.
    const cleaned = writing.catch(() => {}).then(() => upload?.abort().catch(() => {}))
    // An unresponsive server would block the cleanup too; the sweep does it later.
    if (!(error instanceof Overdue)) await cleaned
    throw error
  }
}
