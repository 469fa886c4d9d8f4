import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Failure.ts"
import { type Calls, tracked, unit } from "./FileCalls.ts"
import { closeQuietly, ownFolder, type Root } from "./Folder.ts"
import { temporaryName } from "./Temporary.ts"

const openProbe = async (call: Calls, root: Root, path: string): Promise<number> => {
  const open = () => call<number>((done) => fs.open(path, "wx+", 0o600, done), closeQuietly)
  try {
    return await open()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await root.make(ownFolder, "tmp")
  return open()
}

/** Writes, syncs, reads back and removes a small file. */
export const probe = async (call: Calls, root: Root): Promise<void> => {
  const path = join(root.path, ownFolder, "tmp", temporaryName())
  const sent = randomBytes(4096)
  const fd = await openProbe(call, root, path)
  const file = tracked(call)
  try {
    const written = await file.call<number>((done) => fs.write(fd, sent, 0, sent.length, 0, done))
    await file.call(unit((done) => fs.fsync(fd, done)))
    const received = Buffer.alloc(sent.length)
    const read = await file.call<number>((done) => fs.read(fd, received, 0, received.length, 0, done))
    if (written !== sent.length || read !== sent.length || !received.equals(sent)) {
      throw new Error("the storage does not give back what was written")
    }
  } finally {
    const removed = file.retire().then(() => {
      closeQuietly(fd)
      return call(unit((done) => fs.unlink(path, done)))
    })
    removed.catch(() => {})
  }
}
