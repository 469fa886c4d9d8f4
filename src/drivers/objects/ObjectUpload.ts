import { PutObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3"
import type { S3Access } from "../../nodes/ports/NodeFiles.ts"
import { objectOf } from "../../nodes/settings/StorageSettings.ts"
import type { Bucket } from "../blobs/s3/Bucket.ts"
import { Multipart } from "../blobs/s3/Multipart.ts"
import { PartBuffer } from "../blobs/s3/UploadParts.ts"
import type { Outbound } from "../Outbound.ts"
import { bucketOf, objectFailure } from "./ObjectStore.ts"

/** Size of the parts, in bytes. A storage takes 10 000 of them: more than a run may write. */
export const partBytes = 8 * 1024 * 1024

/** An object that is uploaded while it is written: in parts, of which few are in memory. It is visible after `publish`. */
export class ObjectUpload {
  readonly #path: string
  readonly #bucket: Bucket
  readonly #key: string
  readonly #signal: AbortSignal
  readonly #filling = new PartBuffer(partBytes)
  #upload: Multipart | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string, access: S3Access, outbound: Outbound, signal: AbortSignal) {
    this.#path = path
    this.#bucket = bucketOf(path, access, outbound)
    this.#key = objectOf(path).key
    this.#signal = signal
  }

  /** Resolves when there is room for more. Writes wait for one another. */
  write(bytes: Uint8Array): Promise<void> {
    this.#writing = this.#explained(async () => {
      await this.#writing
      for (let rest = this.#filling.add(bytes); this.#filling.isFull; rest = this.#filling.add(rest)) {
        await this.#ship(this.#filling.take(partBytes))
      }
    })
    // Whoever has called gets the failure, and so does the next one.
    this.#writing.catch(() => {})
    return this.#writing
  }

  /** Nothing more follows. The object is visible only after {@link publish}. */
  async end(): Promise<void> {
    await this.#writing
  }

  async publish(): Promise<void> {
    await this.#explained(async () => {
      await this.#writing
      const rest = this.#filling.rest()
      if (this.#upload === undefined) {
        const command = new PutObjectCommand({ Bucket: this.#bucket.name, Key: this.#key, Body: rest })
        await this.#bucket.steady((limits) => this.#bucket.client.send(command, limits), this.#signal)
        return
      }
      if (rest.length > 0) await this.#ship(rest)
      await this.#upload.complete()
      this.#upload = undefined
    })
  }

  /** Removes the parts that are stored. */
  async abort(): Promise<void> {
    // The upload may be starting: its id is known then.
    await this.#writing.catch(() => {})
    await this.#upload?.abort()
  }

  async #ship(part: Buffer): Promise<void> {
    this.#upload ??= await Multipart.create(this.#bucket, this.#key, this.#signal)
    await this.#upload.add(async (UploadId, PartNumber, limits) => {
      const target = { Bucket: this.#bucket.name, Key: this.#key, UploadId, PartNumber }
      const { ETag } = await this.#bucket.client.send(new UploadPartCommand({ ...target, Body: part }), limits)
      this.#filling.release(part)
      return ETag
    })
  }

  async #explained(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#signal.throwIfAborted()
      throw objectFailure(error, this.#path, "write it")
    }
  }
}
