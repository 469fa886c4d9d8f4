import { Effect, type Layer, Stream } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import { Failure } from "../../drivers/Failure.ts"
import { plain } from "../../drivers/files/Compression.ts"
import type { StoredFile } from "../../nodes/ports/NodeFiles.ts"
import { type Reference, referenceKey } from "../../protocol/References.ts"
import type { RunSpec } from "../../protocol/RunProtocol.ts"

/** The stored files that the flowline refers to. The gateway resolved the references before the run began. */
export class StoredFiles {
  readonly #spec: RunSpec
  readonly #blobs: Layer.Layer<Blobs>

  constructor(spec: RunSpec, blobs: Layer.Layer<Blobs>) {
    this.#spec = spec
    this.#blobs = blobs
  }

  async open(reference: Reference): Promise<StoredFile> {
    const key = referenceKey(reference)
    const found = this.#spec.references?.[key]
    if (found === undefined) throw new Failure(`There is no ${key}`)
    const { name, sha256, size } = found
    return { name, read: () => plain(name, this.#bytes(key, sha256, size)) }
  }

  async *#bytes(key: string, sha256: string, size: number): AsyncGenerator<Uint8Array> {
    const bytes = Stream.unwrap(Effect.flatMap(Blobs, (blobs) => blobs.read(this.#spec.tenant, sha256)))
    let read = 0
    try {
      // Provided to the stream rather than to its opening, so that the connections stay open while it is read.
      for await (const chunk of Stream.toAsyncIterable(Stream.provide(bytes, this.#blobs))) {
        read += chunk.length
        yield chunk
      }
    } catch {
      throw new Failure(`The bytes of ${key} cannot be read: the data storage does not answer or has lost them`)
    }
    if (read !== size) throw new Failure(`The bytes of ${key} cannot be read: there are ${read} of ${size}`)
  }
}
