import * as fs from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Failure.ts"
import type { StoredBlob } from "../Blobs.ts"
import { diskPaths } from "./DiskPaths.ts"
import type { Calls } from "./FileCalls.ts"
import type { Root } from "./Folder.ts"

const entries = async (call: Calls, root: Root, folder: string): Promise<ReadonlyArray<string>> => {
  try {
    return await call<Array<string>>((done) => fs.readdir(folder, done))
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await root.present()
  return []
}

/**
 * The blobs of a tenant ordered by hash, read from one of the 256 folders at a time. Entries that are not named like a
 * blob, or are no files, are skipped: backup tools and people leave such in folders.
 */
export async function* listBlobs(call: Calls, root: Root, tenant: string): AsyncGenerator<StoredBlob> {
  const folder = diskPaths(root.path).blobs(tenant)
  for (const fan of (await entries(call, root, folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
    const named = new RegExp(`^${fan}[0-9a-f]{62}$`)
    const found = await entries(call, root, join(folder, fan)).catch((error) => {
      // A file or a loop of links has the name of a folder.
      if (["ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return []
      throw error
    })
    for (const sha256 of found.filter((name) => named.test(name)).sort()) {
      const stat = await call<fs.Stats>((done) => fs.lstat(join(folder, fan, sha256), done)).catch((error) => {
        if (codeOf(error) !== "ENOENT") throw error
      })
      if (stat?.isFile() === true) yield { sha256, size: stat.size, storedAt: stat.mtimeMs }
    }
  }
}

/** Whether no folder of the root holds a blob. Other entries of the root are skipped. */
export const isEmpty = async (call: Calls, root: Root): Promise<boolean> => {
  for (const name of await entries(call, root, root.path)) {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) continue
    const folder = await call<fs.Stats>((done) => fs.stat(join(root.path, name), done))
    if (folder.isDirectory() && !(await listBlobs(call, root, name).next()).done) return false
  }
  return true
}
