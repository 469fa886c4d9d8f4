import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand
} from "@aws-sdk/client-s3"
import type { Bucket, Limits } from "./Bucket.ts"

/** Maximum number of concurrent parts of one upload. */
const parallel = 3

/** Sends one part and returns its tag. */
type SendPart = (uploadId: string, number: number, limits: Limits) => Promise<string | undefined>

/**
 * A multipart upload. The object becomes visible as a whole when {@link complete} returns. {@link abort} ends running
 * requests and leaves nothing behind.
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

  /** `signal` cancels running parts; {@link abort} must still be called. */
  static async create(bucket: Bucket, key: string, signal: AbortSignal): Promise<Multipart> {
    const command = new CreateMultipartUploadCommand({ Bucket: bucket.name, Key: key })
    const { UploadId } = await bucket.quick((limits) => bucket.client.send(command, limits))
    if (UploadId === undefined) throw new Error("the storage has not begun the upload")
    return new Multipart(bucket, key, UploadId, signal)
  }

  /**
   * Starts the next part (the first has number 1), and waits while the maximum number of parts is running. `failed` is
   * called immediately for the first part that fails, because nobody may be waiting then.
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
    // Not interruptible: otherwise it would be unknown whether the object exists.
    await this.#bucket.steady((limits) => this.#bucket.client.send(command, limits))
  }

  /** Fails when the storage cannot be reached; then the sweep removes the upload. */
  async abort(): Promise<void> {
    this.#control.abort(new Error("the upload was given up"))
    await Promise.all(this.#underWay)
    const command = new AbortMultipartUploadCommand(this.#target)
    await this.#bucket.quick((limits) => this.#bucket.client.send(command, limits))
  }
}
