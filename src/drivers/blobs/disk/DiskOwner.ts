import * as fs from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Failure.ts"
import { diskPaths } from "./DiskPaths.ts"
import { type Calls, unit } from "./FileCalls.ts"
import { ownFolder, type Root, syncFolder } from "./Folder.ts"
import { temporaryName } from "./Temporary.ts"

/** The file in the root that holds the id of the installation. */
const ownerFile = ".installation"

/** The id in the root; `undefined` when there is none. */
export const readOwner = async (call: Calls, root: Root): Promise<string | undefined> => {
  try {
    const text = await call<string>((done) => fs.readFile(join(root.path, ownerFile), "utf8", done))
    // An empty file is what a crash may leave of a new one.
    return text.trim() === "" ? undefined : text.trim()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await root.present()
  return undefined
}

/** Writes the id durably, in place of another. */
export const writeOwner = async (call: Calls, root: Root, installation: string): Promise<void> => {
  await root.make(ownFolder, "tmp")
  const path = join(root.path, ownerFile)
  const temporary = join(diskPaths(root.path).temporary(ownFolder), temporaryName())
  try {
    const fd = await call<number>((done) => fs.open(temporary, "wx", 0o600, done))
    try {
      await call<number>((done) => fs.write(fd, `${installation}\n`, (error, written) => done(error, written)))
      await call(unit((done) => fs.fsync(fd, done)))
    } finally {
      fs.close(fd, () => {})
    }
    await call(unit((done) => fs.rename(temporary, path, done)))
  } finally {
    await call(unit((done) => fs.rm(temporary, { force: true }, done)))
  }
  await syncFolder(call, root.path)
}
