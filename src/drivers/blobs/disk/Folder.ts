import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { codeOf } from "../../Failure.ts"
import { type Calls, unit } from "./FileCalls.ts"

/** Makes the entries of a folder durable. */
export const syncFolder = async (call: Calls, folder: string): Promise<void> => {
  const fd = await call<number>((done) => fs.open(folder, "r", done), closeQuietly)
  try {
    await call(unit((done) => fs.fsync(fd, done)))
  } finally {
    closeQuietly(fd)
  }
}

/** Closes a descriptor in the background. A failure is ignored: nothing depends on it. */
export const closeQuietly = (fd: number): void => fs.close(fd, () => {})

/**
 * The gateway's own folder in the root. Its name starts with a dot, unlike tenants, and it has the layout of a tenant,
 * so that the sweep covers it. If it is missing, the root is the empty mount point of an unreachable disk.
 */
export const ownFolder = ".health"

/**
 * The root of the blobs. It is created only when the gateway starts. If it is missing later, or no longer a mount
 * point, the disk is unreachable, and writing would fill the folder below the mount point.
 */
export class Root {
  readonly path: string
  readonly #call: Calls
  readonly #isMade: boolean
  #mountPoint: boolean | undefined

  /** With `isMade` another process must have created the root; it is not created here. */
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

  /** Fails while the root is missing. */
  async present(): Promise<void> {
    if (this.#mountPoint === undefined) return this.prepare()
    const isMountPoint = await this.#isMountPoint()
    if (this.#mountPoint && !isMountPoint) throw new Error("the root is not mounted")
    this.#mountPoint = isMountPoint
  }

  /** Creates the root; repeats until it has succeeded once. */
  async prepare(): Promise<void> {
    const sign = join(this.path, ownFolder)
    if (this.#isMade) await this.#call<fs.Stats>((done) => fs.stat(sign, done))
    else {
      await this.#call<string | undefined>((done) => fs.mkdir(sign, { recursive: true, mode: 0o700 }, done))
      await syncFolder(this.#call, dirname(this.path))
    }
    this.#mountPoint = await this.#isMountPoint()
  }

  /** Creates a folder below the root with its parents, and makes them durable. */
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
