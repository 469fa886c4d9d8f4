import { mkdir } from "node:fs/promises"
import { Effect, type Layer, Predicate } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import { Failure, writeFailure } from "../../drivers/Failure.ts"
import type { Sink } from "../../nodes/ports/NodeFiles.ts"
import type { Order, RunMessage } from "../../protocol/RunProtocol.ts"
import type { Allowance } from "../files/DataFiles.ts"
import type { TenantBudget } from "../TenantBudget.ts"
import type { zip as makeZip, Zip } from "./Zip.ts"

type Archived = Extract<RunMessage, { readonly _tag: "Archived" }>

/** The zip file of a run. It begins with the first entry and is streamed into the blob storage during the run. */
export class Archive {
  readonly #order: Order
  readonly #allowance: Allowance
  readonly #budget: TenantBudget
  readonly #blobs: Layer.Layer<Blobs>
  #zip: Zip | undefined
  readonly #stop = new AbortController()
  #stored: Promise<{ readonly sha256: string; readonly size: number }> | undefined

  constructor(order: Order, allowance: Allowance, budget: TenantBudget, blobs: Layer.Layer<Blobs>) {
    this.#order = order
    this.#budget = budget
    this.#blobs = blobs
    this.#allowance = allowance
  }

  #start(zip: typeof makeZip): Zip {
    const { spec, archiveLevel, scratch } = this.#order
    this.#budget.spend("archives", 1)
    const made = zip({
      level: archiveLevel,
      scratch: async () => {
        await mkdir(scratch, { recursive: true })
        return scratch
      }
    })
    const write = Effect.flatMap(Blobs, (store) =>
      store.write(spec.tenant, this.#within(made.bytes), (cause) => cause)
    ).pipe(
      Effect.catchIf(
        (error) => Predicate.hasProperty(error, "storage"),
        () =>
          Effect.fail(
            new Failure("The archive could not be stored: the data storage is full, read-only or does not answer")
          )
      ),
      Effect.provide(this.#blobs)
    )
    this.#stored = Effect.runPromise(write, { signal: this.#stop.signal })
    // A failure of the storage must end the entries that wait for it. `seal` reports it by itself.
    this.#stored.catch((error) => made.abort(error instanceof Error ? error : new Failure(String(error))))
    return made
  }

  /** Counts the bytes of the zip before they are stored. */
  async *#within(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of bytes) {
      this.#budget.spend("archiveBytes", chunk.length)
      yield chunk
    }
  }

  async entry(name: string): Promise<Sink> {
    // Loaded on first use: not every run makes an archive, and a warm child should be small.
    const { zip } = await import("./Zip.ts")
    this.#zip ??= this.#start(zip)
    const sink = await this.#zip.entry(name).catch(this.#unwritten)
    const write = async (chunk: Uint8Array | string) => {
      this.#allowance.spend(typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length, "The archive")
      try {
        await sink.write(chunk)
      } catch (error) {
        await this.#unwritten(error)
      }
    }
    return { write, close: () => sink.close().catch(this.#unwritten) }
  }

  /** Explains a failed write to the zip: by the failure of the storage, if that has stopped the reader of the zip. */
  readonly #unwritten = async (error: unknown): Promise<never> => {
    this.#zip?.abort(error instanceof Error ? error : new Failure(String(error)))
    const stored: unknown = await this.#stored?.catch((cause) => cause)
    throw stored instanceof Failure ? stored : writeFailure(error, "The archive")
  }

  /** Completes the zip and waits until it is stored. Returns undefined if it has no entry. */
  async seal(): Promise<Archived | undefined> {
    if (this.#zip === undefined || this.#stored === undefined) return undefined
    const entries = await this.#zip.seal().catch(this.#unwritten)
    return { _tag: "Archived", ...(await this.#stored), entries }
  }

  /** Discards the zip and its stored bytes. */
  async discard(): Promise<void> {
    this.#zip?.abort(new Failure("The run ended before its archive"))
    this.#stop.abort()
    await this.#stored?.catch(() => {})
  }
}
