import * as fs from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Failure.ts"
import { type BlobPath, diskPaths } from "./DiskPaths.ts"
import { removeSums } from "./DiskSums.ts"
import { type Calls, unit } from "./FileCalls.ts"
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

/**
 * Removes a blob if its modification time, the last time its content was written, is `acceptable`. Checking first and
 * removing afterwards could lose a write in between. So the blob is moved away, checked, and moved back if it must be
 * kept. If the process dies in between, the next sweep restores the moved file.
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
    const moveAside = () => call(unit((done) => fs.rename(blob.path, aside, done)))
    await moveAside().catch(async (error) => {
      // The folder of unfinished writes is in no backup; or the blob is gone, which the second attempt finds too.
      if (codeOf(error) !== "ENOENT") throw error
      await root.make(blob.tenant, "tmp")
      await moveAside()
    })
    const accepted = acceptable(await modified(aside))
    if (accepted) {
      await removeSums(call, blob)
      await call(unit((done) => fs.unlink(aside, done)))
    } else await call(unit((done) => fs.rename(aside, blob.path, done)))
    return accepted
  }
  return unlessMissing(root, remove())
}
