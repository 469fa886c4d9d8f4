import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand
} from "@aws-sdk/client-s3"
import type { Bucket, Limits } from "./Bucket.ts"

/** Parts of one upload that are under way at once. */
const parallel = 3

/** Sends one part and tells its tag. */
export type SendPart = (uploadId: string, number: number, limits: Limits) => Promise<string | undefined>

/**
 * An upload in parts. It shows under its key when {@link complete} returns, whole; nothing of it is left after
 * {@link abort}, which also ends the requests that are under way.
 */
export class Multipart {
  readonly #bucket: Bucket
  readonly #target: { readonly Bucket: string; readonly Key: string; readonly UploadId: string }
  readonly #control = new AbortController()
  readonly #signal: AbortSignal
  readonly #parts: Array<CompletedPart> = []
  readonly #underWay = new Set<Promise<void>>()
  #failure: { readonly cause: unknown } | undefined
  #number = 0

  private constructor(bucket: Bucket, key: string, uploadId: string, signal: AbortSignal) {
    this.#bucket = bucket
    this.#signal = AbortSignal.any([signal, this.#control.signal])
    this.#target = { Bucket: bucket.name, Key: key, UploadId: uploadId }
  }

  /** `signal` ends the parts that are under way; {@link abort} is still to be called. */
  static async create(bucket: Bucket, key: string, signal: AbortSignal): Promise<Multipart> {
    const command = new CreateMultipartUploadCommand({ Bucket: bucket.name, Key: key })
    const { UploadId } = await bucket.quick((limits) => bucket.client.send(command, limits))
    if (UploadId === undefined) throw new Error("the storage has not begun the upload")
    return new Multipart(bucket, key, UploadId, signal)
  }

  /**
   * Begins with the next part, which is number 1 at first; waits while as many as may be are under way. `failed` is told
   * at once of the first part that fails, while nobody may be waiting.
   */
  async add(send: SendPart, failed: (cause: unknown) => void = () => {}): Promise<void> {
    this.#number++
    const number = this.#number
    const part: Promise<void> = this.#bucket.turns
      .take(async () => {
        const tag = await this.#bucket.steady((limits) => send(this.#target.UploadId, number, limits), this.#signal)
        if (tag === undefined) throw new Error("the storage has not confirmed a part")
        this.#parts.push({ ETag: tag, PartNumber: number })
      }, this.#signal)
      .catch((cause: unknown) => {
        this.#failure ??= { cause }
        failed(cause)
      })
      .finally(() => this.#underWay.delete(part))
    this.#underWay.add(part)
    if (this.#underWay.size >= parallel) await Promise.race(this.#underWay)
    if (this.#failure !== undefined) throw this.#failure.cause
  }

  async complete(): Promise<void> {
    await Promise.all(this.#underWay)
    if (this.#failure !== undefined) throw this.#failure.cause
    const parts = this.#parts.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))
    const command = new CompleteMultipartUploadCommand({ ...this.#target, MultipartUpload: { Parts: parts } })
    // Not interrupted: nobody could say then whether there is an object under the key.
    await this.#bucket.steady((limits) => this.#bucket.client.send(command, limits))
  }

  /** Fails when the storage could not be told: then the sweep finds it. */
  async abort(): Promise<void> {
    this.#control.abort(new Error("the upload was given up"))
    await Promise.all(this.#underWay)
    const command = new AbortMultipartUploadCommand(this.#target)
    await this.#bucket.quick((limits) => this.#bucket.client.send(command, limits))
  }
}
