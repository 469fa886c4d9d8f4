import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { type Calls, codeOf, unit } from "./Calls.ts"

/** Makes the entries of a folder durable. */
export const syncFolder = async (call: Calls, folder: string): Promise<void> => {
  const fd = await call<number>((done) => fs.open(folder, "r", done), closeQuietly)
  try {
    await call(unit((done) => fs.fsync(fd, done)))
  } finally {
    closeQuietly(fd)
  }
}

export const closeQuietly = (fd: number): void => fs.close(fd, () => {})

/**
 * The gateway's own folder in the root. It starts with a dot, as no tenant does, and has the layout of one, so that the
 * sweep covers it. Where it is missing, the folder is not the root, but the mount point of a disk that is away.
 */
export const ownFolder = ".health"

/**
 * The root of the blobs. It is made when the gateway starts and never again: where it is missing later, or is no
 * longer the mount point that it was, the disk is away, and writing would fill the folder below it.
 */
export class Root {
  readonly path: string
  readonly #call: Calls
  readonly #isMade: boolean
  #mountPoint: boolean | undefined

  /** With `isMade` it must have been made by another process: it is never made here. */
  constructor(path: string, call: Calls, isMade = false) {
    this.path = path
    this.#call = call
    this.#isMade = isMade
  }

  async #isMountPoint(): Promise<boolean> {
    const [root, above] = await Promise.all(
      [this.path, dirname(this.path)].map((path) => this.#call<fs.Stats>((done) => fs.stat(path, done)))
    )
    return root!.dev !== above!.dev
  }

  /** Fails while the root is not there. */
  async present(): Promise<void> {
    if (this.#mountPoint === undefined) return this.prepare()
    const isMountPoint = await this.#isMountPoint()
    if (this.#mountPoint && !isMountPoint) throw new Error("the root is not mounted")
    this.#mountPoint = isMountPoint
  }

  /** Makes the root, until that succeeded once. */
  async prepare(): Promise<void> {
    const sign = join(this.path, ownFolder)
    if (this.#isMade) await this.#call<fs.Stats>((done) => fs.stat(sign, done))
    else {
      await this.#call<string | undefined>((done) => fs.mkdir(sign, { recursive: true, mode: 0o700 }, done))
      await syncFolder(this.#call, dirname(this.path))
    }
    this.#mountPoint = await this.#isMountPoint()
  }

  /** Makes a folder below the root with the ones between, all of them durable. */
  async make(...segments: ReadonlyArray<string>): Promise<void> {
    await this.present()
    let folder = this.path
    for (const segment of segments) {
      const above = folder
      folder = join(folder, segment)
      await this.#call(unit((done) => fs.mkdir(folder, 0o700, done))).catch((error) => {
        if (codeOf(error) !== "EEXIST") throw error
      })
      await syncFolder(this.#call, above)
    }
  }
}
