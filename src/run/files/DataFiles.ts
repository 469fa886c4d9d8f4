import { constants } from "node:fs"
import { type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { codeOf, Failure, writeFailure } from "../../drivers/Failure.ts"
import { segments } from "../../drivers/files/TenantFiles.ts"
import type { Sink } from "../../nodes/Node.ts"
import { Appender } from "./Appender.ts"

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

const syncFolder = async (path: string) => {
  const folder = await open(path, "r")
  await folder.sync().finally(() => folder.close())
}

/**
 * Creates the folders of `parts` below `root` one at a time and durably. Refuses links, which could lead out of `root`.
 */
const makeFolders = async (root: string, parts: ReadonlyArray<string>, what: string): Promise<string> => {
  await mkdir(root, { recursive: true, mode: 0o700 })
  let folder = root
  for (const part of parts) {
    const above = folder
    folder = join(folder, part)
    const made = await mkdir(folder, 0o700).then(
      () => true,
      (error) => {
        if (codeOf(error) !== "EEXIST") throw error
        return false
      }
    )
    if (made) await syncFolder(above)
    else if (!(await lstat(folder)).isDirectory())
      throw new Failure(`${what} could not be written: "${part}" is not a folder`)
  }
  return folder
}

/** Truncates the file after its last line end. */
const trim = async (handle: FileHandle): Promise<void> => {
  const { size } = await handle.stat()
  const length = 1024 * 1024
  for (let end = size; end > 0; end -= length) {
    const from = Math.max(0, end - length)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - from), 0, end - from, from)
    const at = buffer.subarray(0, bytesRead).lastIndexOf(0x0a)
    if (at !== -1 && from + at + 1 < size) return handle.truncate(from + at + 1)
    if (at !== -1) return
  }
  if (size > 0) await handle.truncate(0)
}

/**
 * The tenant's `data/` area. A file is written under a name in `unfinished` and renamed when it is durable and
 * `mayPublish` resolves.
 */
export class DataFiles {
  readonly #data: string
  readonly #unfinished: string
  readonly #allowance: Allowance
  readonly #mayPublish: () => Promise<void>
  #count = 0
  /** Functions that close the open files. */
  readonly #open = new Set<() => Promise<void>>()

  constructor(data: string, unfinished: string, allowance: Allowance, mayPublish = async () => {}) {
    this.#data = data
    this.#unfinished = unfinished
    this.#allowance = allowance
    this.#mayPublish = mayPublish
  }

  async open(path: string): Promise<Sink> {
    const folders = [...segments(path)]
    const name = folders.pop()!
    const what = `The file "${path}"`
    const temporary = join(this.#unfinished, String(++this.#count))
    await mkdir(this.#unfinished, { recursive: true, mode: 0o700 })
    const handle = await open(temporary, "wx", 0o600).catch((error) => {
      throw writeFailure(error, what)
    })
    const appender = new Appender(handle, what)
    const release = this.#releaseOf(handle, appender)
    const write = (chunk: Uint8Array | string) => {
      this.#allowance.spend(Buffer.byteLength(chunk), what)
      return appender.write(chunk)
    }
    const publish = async () => {
      await this.#mayPublish()
      const folder = await makeFolders(this.#data, folders, what)
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
    return { write, close, copies: true }
  }

  /** Opens a file for appending. An incomplete last line, left by an interrupted run, is removed. */
  async append(path: string): Promise<Sink> {
    const folders = [...segments(path)]
    const name = folders.pop()!
    const what = `The file "${path}"`
    const folder = await makeFolders(this.#data, folders, what)
    const flags =
      constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const handle = await open(join(folder, name), flags, 0o600).catch((error) => {
      throw codeOf(error) === "ELOOP"
        ? new Failure(`${what} could not be written: it is a link`)
        : writeFailure(error, what)
    })
    if (!(await handle.stat()).isFile()) {
      await handle.close()
      throw new Failure(`${what} could not be written: it is not a regular file`)
    }
    await trim(handle)
    await syncFolder(folder)
    const appender = new Appender(handle, what)
    const release = this.#releaseOf(handle, appender)
    const write = (chunk: Uint8Array | string) => {
      this.#allowance.spend(Buffer.byteLength(chunk), what)
      return appender.write(chunk)
    }
    const close = async () => {
      try {
        await appender.sync()
      } finally {
        await release()
      }
    }
    return { write, close, flush: () => appender.sync(), copies: true }
  }

  /** The function that closes the file after its pending writes. */
  #releaseOf(handle: FileHandle, appender: Appender): () => Promise<void> {
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
