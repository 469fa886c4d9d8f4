import { type FileHandle, mkdir, open, realpath, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Sink } from "../../../services/nodes/Node.ts"
import { Failure, writeFailure } from "./Failure.ts"
import { inside, segments } from "./TenantFiles.ts"

/** Bytes handed to the system that the writer need not wait for: the next batch is made while the disk works. */
const inFlightBytes = 1024 * 1024

/** Counts what a run writes against its limit. */
export class Allowance {
  #left: number
  readonly #limit: number
  constructor(limit: number) {
    this.#left = limit
    this.#limit = limit
  }
  spend(bytes: number, what: string): void {
    this.#left -= bytes
    if (this.#left < 0) throw new Failure(`${what} is over the size limit of a run (${this.#limit} bytes)`)
  }
}

const bytesOf = (chunk: Uint8Array | string): Uint8Array => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)

const writeAll = async (handle: FileHandle, bytes: Uint8Array) => {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten
}

/** Appends to an open file and keeps up to 1 MiB in flight. The first failure comes out of the next call. */
export const appender = (handle: FileHandle, allowance: Allowance, what: string) => {
  let last = Promise.resolve()
  let inFlight = 0
  let failure: unknown
  const settle = async () => {
    await last
    if (failure !== undefined) throw failure
  }
  const write = (chunk: Uint8Array | string): Promise<void> | undefined => {
    const bytes = bytesOf(chunk)
    allowance.spend(bytes.length, what)
    inFlight += bytes.length
    last = last
      .then(() => (failure === undefined ? writeAll(handle, bytes) : undefined))
      .catch((error) => {
        failure ??= writeFailure(error, what)
      })
      .finally(() => {
        inFlight -= bytes.length
      })
    return inFlight > inFlightBytes || failure !== undefined ? settle() : undefined
  }
  return { write, settle }
}

const syncFolder = async (path: string) => {
  const folder = await open(path, "r")
  await folder.sync().finally(() => folder.close())
}

/** The tenant's `data/` area. A file grows under a name in `unfinished` and moves to its own when it is durable. */
export class DataFiles {
  readonly #data: string
  readonly #unfinished: string
  readonly #allowance: Allowance
  #count = 0

  constructor(data: string, unfinished: string, allowance: Allowance) {
    this.#data = data
    this.#unfinished = unfinished
    this.#allowance = allowance
  }

  async open(path: string): Promise<Sink> {
    const target = join(this.#data, ...segments(path))
    const what = `The file "${path}"`
    const temporary = join(this.#unfinished, String(++this.#count))
    await mkdir(this.#unfinished, { recursive: true })
    const handle = await open(temporary, "wx").catch((error) => {
      throw writeFailure(error, what)
    })
    const { write, settle } = appender(handle, this.#allowance, what)
    const publish = async () => {
      const folder = dirname(target)
      await mkdir(folder, { recursive: true })
      if (!inside(await realpath(this.#data), await realpath(folder))) throw new Failure(`${what} leaves its folder`)
      await rename(temporary, target)
      await syncFolder(folder)
    }
    const close = async () => {
      try {
        await settle()
        await handle.sync()
      } finally {
        await handle.close()
      }
      await publish().catch((error) => {
        throw writeFailure(error, what)
      })
    }
    return { write, close }
  }

  /** Removes what was not closed. */
  clear(): Promise<void> {
    return rm(this.#unfinished, { recursive: true, force: true })
  }
}
