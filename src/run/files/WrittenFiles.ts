import { Failure } from "../../drivers/Failure.ts"
import type { FilePlace } from "../../drivers/files/AppendedFile.ts"
import { dataArea, rootArea, unfinishedOf } from "../../drivers/files/Area.ts"
import { compressed } from "../../drivers/files/Compression.ts"
import type { S3Access, Sink, Storage } from "../../nodes/ports/NodeFiles.ts"
import { fileKey, ownRoots, placeOf } from "../../protocol/Roots.ts"
import type { Order } from "../../protocol/RunProtocol.ts"
import { TenantBudget } from "../TenantBudget.ts"
import { type Allowance, DataFiles } from "./DataFiles.ts"

/** An object that becomes visible when the run has succeeded. */
interface Upload {
  readonly publish: () => Promise<void>
  readonly abort: () => Promise<void>
}

/** The files that a run writes: in its tenant's data area, in the roots of the order, and in S3 storages. */
export class WrittenFiles {
  readonly #order: Order
  readonly #allowance: Allowance
  readonly #mayPublish: () => Promise<void>
  readonly #signal: AbortSignal
  /** By the name of the root. */
  readonly #areas = new Map<string, DataFiles>()
  readonly #uploads = new Set<Upload>()

  constructor(
    order: Order,
    allowance: Allowance,
    budget: TenantBudget,
    mayPublish: () => Promise<void>,
    signal: AbortSignal
  ) {
    this.#order = order
    this.#allowance = allowance
    this.#mayPublish = mayPublish
    this.#signal = signal
    const data = new DataFiles(dataArea(order.data), order.unfinished, allowance, budget, mayPublish)
    this.#areas.set(ownRoots.data, data)
  }

  /** Opens a file to write: see `RunContext.file`. */
  async open(path: string, append = false, { root = ownRoots.data, s3 }: Storage = {}): Promise<Sink> {
    if (s3 !== undefined) return compressed(path, await this.#upload(path, s3))
    const area = this.#area(root)
    return append ? area.append(path, this.#signal) : compressed(path, await area.open(path))
  }

  #area(name: string): DataFiles {
    const known = this.#areas.get(name)
    if (known !== undefined) return known
    const { roots, spec } = this.#order
    const root = Object.hasOwn(roots, name) ? roots[name] : undefined
    if (root === undefined || !root.writable) throw new Failure(`Nothing can be written in ${placeOf(name)}`)
    // Limits of the data area say nothing of folders that the operator has outside of it.
    const unlimited = new TenantBudget(spec.tenant)
    const unfinished = unfinishedOf(root, this.#order)
    const area = new DataFiles(rootArea(name, root), unfinished, this.#allowance, unlimited, this.#mayPublish)
    this.#areas.set(name, area)
    return area
  }

  async #upload(path: string, access: S3Access): Promise<Sink> {
    const [{ ObjectUpload }, { Outbound }] = await Promise.all([
      import("../../drivers/objects/ObjectUpload.ts"),
      import("../../drivers/Outbound.ts")
    ])
    const upload = new ObjectUpload(path, access, new Outbound(this.#order.outbound), this.#signal)
    this.#uploads.add(upload)
    return {
      write: (chunk) => {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
        this.#allowance.spend(bytes.length, `The object "${path}"`)
        return upload.write(bytes)
      },
      close: () => upload.end()
    }
  }

  /** The ends of the files that are appended to, by their keys. Between a flush and the next write they are durable. */
  async places(): Promise<Readonly<Record<string, FilePlace>>> {
    const places = new Map<string, FilePlace>()
    for (const [root, area] of this.#areas) {
      for (const [path, place] of Object.entries(await area.places())) places.set(fileKey(root, path), place)
    }
    return Object.fromEntries(places)
  }

  /** Makes the objects visible. Called when the run has succeeded. */
  async publish(): Promise<void> {
    if (this.#uploads.size > 0) await this.#mayPublish()
    for (const upload of this.#uploads) {
      await upload.publish()
      this.#uploads.delete(upload)
    }
  }

  /** Discards what is not finished. */
  async clear(): Promise<void> {
    const areas = [...this.#areas.values()].map((area) => area.clear())
    await Promise.allSettled([...areas, ...[...this.#uploads].map((upload) => upload.abort())])
  }
}
