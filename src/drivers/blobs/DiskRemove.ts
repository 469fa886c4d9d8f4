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
 * Removes a blob whose modification time (when its content was last written) is `acceptable`. Looking first and
 * removing then would lose a write between the two, so the blob is moved out of the way, looked at there, and moved
 * back when it was wanted after all. A process that dies in between leaves the moved file to the next sweep.
 */
export const removeIf = (
  call: Calls,
  root: Root,
  blob: BlobPath,
  acceptable: (modified: number) => boolean
): Promise<boolean> => {
  const aside = join(diskPaths(root.path).temporary(blob.tenant), `${temporaryName()}.${blob.sha256}`)
  const modified = (path: string) => call<fs.Stats>((done) => fs.stat(path, done)).then(({ mtimeMs }) => mtimeMs)
  const remove = async () => {
    if (!acceptable(await modified(blob.path))) return false
    await call(unit((done) => fs.rename(blob.path, aside, done)))
    const accepted = acceptable(await modified(aside))
    if (accepted) await call(unit((done) => fs.unlink(aside, done)))
    else await call(unit((done) => fs.rename(aside, blob.path, done)))
    return accepted
  }
  return unlessMissing(root, remove())
}
