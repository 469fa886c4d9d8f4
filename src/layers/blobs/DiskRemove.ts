import * as fs from "node:fs"
import { join } from "node:path"
import { type Calls, codeOf, unit } from "./Calls.ts"
import { type BlobPath, diskPaths } from "./DiskPaths.ts"
import type { Root } from "./Folder.ts"
import { temporaryName } from "./Temporary.ts"

const unlessMissing = async (root: Root, action: Promise<boolean>): Promise<boolean> => {
  try {
    return await action
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await root.present()
  return false
}

/** Removes a blob; tells whether there was one. Whoever reads it goes on reading. */
export const removeBlob = (call: Calls, root: Root, blob: BlobPath): Promise<boolean> =>
  unlessMissing(
    root,
    call(unit((done) => fs.unlink(blob.path, done))).then(() => true)
  )

/**
 * Removes a blob if nobody has written the same content since `storedAt` (its modification time). Looking first and
 * removing then would lose a write between the two, so the blob is moved out of the way, looked at there, and moved
 * back when it was wanted after all. A process that dies in between leaves the moved file to the next sweep.
 */
export const removeUnchanged = (call: Calls, root: Root, blob: BlobPath, storedAt: number): Promise<boolean> => {
  const aside = join(diskPaths(root.path).temporary(blob.tenant), `${temporaryName()}.${blob.sha256}`)
  const remove = async () => {
    const { mtimeMs } = await call<fs.Stats>((done) => fs.stat(blob.path, done))
    if (mtimeMs !== storedAt) return false
    await call(unit((done) => fs.rename(blob.path, aside, done)))
    const moved = await call<fs.Stats>((done) => fs.stat(aside, done))
    if (moved.mtimeMs === storedAt) {
      await call(unit((done) => fs.unlink(aside, done)))
      return true
    }
    await call(unit((done) => fs.rename(aside, blob.path, done)))
    return false
  }
  return unlessMissing(root, remove())
}
