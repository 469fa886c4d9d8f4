import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Failure, writeFailure } from "../../drivers/Failure.ts"
import { checkPresent, endOf, type FilePlace, makeFolders, syncFolder } from "../../drivers/files/AppendedFile.ts"
import type { Area } from "../../drivers/files/Area.ts"
import { segments } from "../../drivers/files/PathNames.ts"
import type { Sink } from "../../nodes/ports/NodeFiles.ts"
import { fileKey, fileText } from "../../protocol/Roots.ts"
import type { TenantBudget } from "../TenantBudget.ts"
import { Appender } from "./Appender.ts"
import { ReopeningAppender } from "./ReopeningAppender.ts"

/** Counts the bytes that a run writes against its limit. */
export class Allowance {
  #left: number
  readonly #limit: number
  constructor(limit: number) {
    this.#left = limit
    this.#limit = limit
  }
  spend(bytes: number, what: string): void {
    this.#left -= bytes
    if (this.#left < 0) throw new Failure(`${what} exceeds the size limit of a run (${this.#limit} bytes)`)
  }
}

/**
 * The files of an area: the tenant's data area, or a root. A file is written under a name in `unfinished` and renamed when it is durable and
 * `mayPublish` resolves.
 */
export class DataFiles {
  readonly #area: Area
  readonly #unfinished: string
  readonly #allowance: Allowance
  readonly #budget: TenantBudget
  readonly #mayPublish: () => Promise<void>
  #count = 0
  /** The open files that are appended to, by path. */
  readonly #appended = new Map<string, ReopeningAppender>()
  /** Functions that close the open files. */
  readonly #open = new Set<() => Promise<void>>()

  constructor(area: Area, unfinished: string, allowance: Allowance, budget: TenantBudget, mayPublish = async () => {}) {
    this.#area = area
    this.#unfinished = unfinished
    this.#allowance = allowance
    this.#budget = budget
    this.#mayPublish = mayPublish
  }

  async open(path: string): Promise<Sink> {
    const folders = [...segments(path)]
    const name = folders.pop()!
    const what = this.#what(path)
    this.#budget.spend("dataFiles", 1)
    const temporary = join(this.#unfinished, String(++this.#count))
    await checkPresent(this.#area, what)
    await mkdir(this.#unfinished, { recursive: true, mode: 0o700 }).catch((error) => {
      throw writeFailure(error, what)
    })
    const handle = await open(temporary, "wx", this.#area.isShared ? 0o666 : 0o600).catch((error) => {
      throw writeFailure(error, what)
    })
    const appender = new Appender(handle, what)
    const release = this.#releaseOf(handle, appender)
    const write = (chunk: Uint8Array | string) => {
      this.#spend(Buffer.byteLength(chunk), what)
      return appender.write(chunk)
    }
    const lend = this.#lendTo(appender, what)
    const publish = async () => {
      await this.#mayPublish()
      const folder = await makeFolders(this.#area, folders, what)
      await rename(temporary, join(folder, name))
      await syncFolder(folder)
    }
    const close = async () => {
      try {
        await appender.sync()
      } finally {
        await release()
      }
      await publish().catch((error) => {
        throw writeFailure(error, what)
      })
    }
    return { write, lend, close, copies: true }
  }

  /** Opens a file for appending: see {@link ReopeningAppender}. */
  async append(path: string, signal: AbortSignal): Promise<Sink> {
    const what = this.#what(path)
    const file = await ReopeningAppender.open(this.#area, path, what, signal)
    const release = this.#releaseOf(file, file)
    this.#appended.set(path, file)
    const write = (chunk: Uint8Array | string) => {
      this.#spend(Buffer.byteLength(chunk), what)
      return file.write(chunk)
    }
    const close = async () => {
      this.#appended.delete(path)
      try {
        await file.sync()
      } finally {
        await release()
      }
    }
    return { write, lend: this.#lendTo(file, what), close, flush: () => file.sync(), copies: true }
  }

  #lendTo(appender: Pick<Appender, "lend">, what: string): NonNullable<Sink["lend"]> {
    return (bytes, free) => {
      try {
        this.#spend(bytes.length, what)
      } catch (error) {
        free()
        throw error
      }
      return appender.lend(bytes, free)
    }
  }

  #what(path: string): string {
    return `The file ${fileText(fileKey(this.#area.root, path))}`
  }

  #spend(bytes: number, what: string): void {
    this.#allowance.spend(bytes, what)
    this.#budget.spend("dataBytes", bytes)
  }

  /** The ends of the files that are appended to, by path. Between a flush and the next write they are durable. */
  async places(): Promise<Readonly<Record<string, FilePlace>>> {
    const places: Record<string, FilePlace> = {}
    for (const [path, { handle }] of this.#appended) places[path] = await endOf(handle)
    return places
  }

  /** The function that closes the file after its pending writes. */
  #releaseOf(handle: Pick<FileHandle, "close">, appender: Pick<Appender, "idle">): () => Promise<void> {
    const release = async () => {
      this.#open.delete(release)
      await appender.idle()
      await handle.close()
    }
    this.#open.add(release)
    return release
  }

  /** Closes and removes unfinished files. */
  async clear(): Promise<void> {
    await rm(this.#unfinished, { recursive: true, force: true })
    await Promise.allSettled([...this.#open].map((release) => release()))
  }
}
