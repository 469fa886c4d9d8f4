import * as fs from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Failure.ts"
import { decodeSums, type StoredSums, withoutSums } from "../BlockSums.ts"
import { type BlobPath, diskPaths } from "./DiskPaths.ts"
import { type Calls, unit } from "./FileCalls.ts"
import type { Root } from "./Folder.ts"
import { temporaryName } from "./Temporary.ts"

/** The sums of a blob of `size` bytes; `undefined` when there are none that can be trusted. */
export const readSums = async (call: Calls, blob: BlobPath, size: number): Promise<StoredSums | undefined> => {
  if (size <= withoutSums) return undefined
  try {
    return decodeSums(await call<Buffer>((done) => fs.readFile(blob.sums, done)))
  } catch (error) {
    // Damaged or unreadable sums are no failure: the hash in the blob's name still tells whether its bytes are right.
    if (codeOf(error) !== undefined) return undefined
    throw error
  }
}

/**
 * Stores the sums of a blob. They are not synced, because they carry a sum of their own and the check of all blobs
 * makes missing ones anew. Therefore a failure is ignored.
 */
export const writeSums = async (call: Calls, root: Root, blob: BlobPath, sums: Buffer | undefined): Promise<void> => {
  if (sums === undefined) return
  // Among the unfinished blobs, where the next start removes it if this process is killed.
  const temporary = join(diskPaths(root.path).temporary(blob.tenant), temporaryName())
  const write = async () => {
    await call(unit((done) => fs.writeFile(temporary, sums, { mode: 0o600 }, done)))
    await call(unit((done) => fs.rename(temporary, blob.sums, done)))
  }
  try {
    await write().catch(async (error) => {
      if (codeOf(error) !== "ENOENT") throw error
      await root.make(blob.tenant, "tmp")
      await root.make(blob.tenant, "sums", blob.fan)
      await write()
    })
  } catch {
    await call(unit((done) => fs.rm(temporary, { force: true }, done))).catch(() => {})
  }
}

/** Removes the sums of a blob. It comes before the removal of the blob: nothing would find them after a kill between. */
export const removeSums = (call: Calls, blob: BlobPath): Promise<void> =>
  call(unit((done) => fs.rm(blob.sums, { force: true }, done))).catch(() => {})

/**
 * Stores the sums of a blob that may be removed meanwhile. A removal moves the blob away before it removes the sums, so it
 * removes these, or the blob is missing now.
 */
export const addSums = async (call: Calls, root: Root, blob: BlobPath, sums: Buffer | undefined): Promise<void> => {
  if (sums === undefined) return
  await writeSums(call, root, blob, sums)
  await call<fs.Stats>((done) => fs.stat(blob.path, done)).catch(async (error) => {
    if (codeOf(error) !== "ENOENT") throw error
    await removeSums(call, blob)
  })
}
