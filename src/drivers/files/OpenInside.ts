import { constants } from "node:fs"
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises"
import { join, sep } from "node:path"
import { codeOf } from "../Failure.ts"

/** Why a path below a root cannot be opened. `outside` is a link that leads out of the root. */
export type OpenFailure = "missing" | "denied" | "directory" | "outside" | "special"

export interface OpenedFile {
  readonly handle: FileHandle
  readonly size: number
  readonly modifiedAt: Date
  /** Device, inode, size and times in nanoseconds. Changes whenever the content may have changed. */
  readonly version: string
}

const absent = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES", "EPERM", "ENXIO"])

/** Whether the error concerns the path, rather than a storage in trouble. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && absent.has(String(error.code))

/** Whether `real` is `root` or below it. Both must be real paths. */
export const isInside = (root: string, real: string): boolean =>
  real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)

// A folder of the path can be replaced by a link between the check and the opening, so the opened file is checked
// afterwards: Linux shows its path in /proc, elsewhere the path is resolved a second time. For a replaced file, the
// path in /proc ends with " (deleted)", which does not change its folder.
const openedPath = async (handle: FileHandle, path: string): Promise<string> => {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`)
  } catch {
    return realpath(path)
  }
}

/**
 * How often a path is resolved again when it changes before it is opened, as when a link is switched to a new version.
 */
const turns = 5

/**
 * Handles the failure of a read in a tenant's folder `<conf>/tenants/<tenant>`, which a tenant of the access file need
 * not have: nothing is there when `conf` can be reached. Else a missing folder means a storage in trouble.
 */
export const orNothing =
  <A>(root: string, nothing: A) =>
  async (error: unknown): Promise<A> => {
    if (codeOf(error) !== "ENOENT" || !(await stat(join(root, "../.."))).isDirectory()) throw error
    return nothing
  }

/** Opens a resolved path; undefined if it no longer exists. */
const openResolved = async (real: string): Promise<FileHandle | undefined> => {
  try {
    return await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ELOOP") return undefined
    throw error
  }
}

/**
 * Opens the regular file `path`, a validated relative path, below `root` for reading. Links are followed if the file is
 * inside the root. Pipes and devices are refused without blocking on them.
 */
export const openInside = async (root: string, path: string): Promise<OpenedFile | OpenFailure> => {
  let handle: FileHandle | undefined
  const realRoot = await realpath(root).catch(orNothing(root, undefined))
  if (realRoot === undefined) return "missing"
  try {
    let real = ""
    for (let turn = 0; handle === undefined && turn < turns; turn++) {
      real = await realpath(join(realRoot, path))
      if (!isInside(realRoot, real)) return "outside"
      handle = await openResolved(real)
    }
    if (handle === undefined) return "missing"
    const stats = await handle.stat({ bigint: true })
    const failure: OpenFailure | undefined = !isInside(realRoot, await openedPath(handle, real))
      ? "outside"
      : stats.isDirectory()
        ? "directory"
        : stats.isFile()
          ? undefined
          : "special"
    if (failure !== undefined) {
      await handle.close()
      return failure
    }
    const version = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join("-")
    return { handle, size: Number(stats.size), modifiedAt: stats.mtime, version }
  } catch (error) {
    await handle?.close()
    if (!isAbsent(error)) throw error
    return codeOf(error) === "EACCES" || codeOf(error) === "EPERM" ? "denied" : "missing"
  }
}
