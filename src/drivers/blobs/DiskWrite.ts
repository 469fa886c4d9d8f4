import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { within } from "../files/Deadline.ts"
import type { Blob } from "./Blobs.ts"
import { copyInto } from "./CopyInto.ts"
import { type BlobPath, diskPaths } from "./DiskPaths.ts"
import { removeIf } from "./DiskRemove.ts"
import { type Calls, codeOf, Overdue, tracked, unit } from "./FileCalls.ts"
import { FileWriter } from "./FileWriter.ts"
import { closeQuietly, type Root, syncFolder } from "./Folder.ts"
import type { SyncRate } from "./SyncRate.ts"
import { temporaryName } from "./Temporary.ts"

/** Repeats an action after creating the folder that was missing. */
const making = async <A>(make: () => Promise<void>, action: () => Promise<A>): Promise<A> => {
  try {
    return await action()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await make()
  return action()
}

const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/**
 * Gives a finished file its final name. An existing blob with equal content is kept, and its time updated so that it is
 * not swept. An existing blob of another size is damaged and is replaced. Returns whether the name is new.
 */
const publish = async (call: Calls, root: Root, temporary: string, blob: BlobPath, size: number): Promise<boolean> => {
  const rename = () => call(unit((done) => fs.rename(temporary, blob.path, done))).then(() => false)
  const link = async (): Promise<"new" | "there" | "impossible"> => {
    try {
      await call(unit((done) => fs.link(temporary, blob.path, done)))
      return "new"
    } catch (error) {
      const code = codeOf(error)
      if (code === "EEXIST") return "there"
      if (code !== undefined && withoutLinks.has(code)) return "impossible"
      throw error
    }
  }
  const attempt = async (): Promise<boolean> => {
    const linked = await link()
    if (linked === "impossible") return rename()
    if (linked === "there") {
      const existing = await call<fs.Stats>((done) => fs.stat(blob.path, done))
      if (existing.size !== size) return rename()
      const now = new Date()
      await call(unit((done) => fs.utimes(blob.path, now, now, done)))
    }
    await call(unit((done) => fs.unlink(temporary, done)))
    return linked === "new"
  }
  // A removal between `link` and `utimes` also gives ENOENT; the second attempt links the blob again.
  const isNew = await making(() => root.make(blob.tenant, "blobs", blob.fan), attempt)
  await syncFolder(call, dirname(blob.path))
  return isNew
}

/** Stores the source's bytes under their hash. The temporary file is removed in any case. */
export const writeBlob = async (
  call: Calls,
  pace: SyncRate,
  root: Root,
  tenant: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal
): Promise<Blob> => {
  const paths = diskPaths(root.path)
  const path = join(paths.temporary(tenant), temporaryName())
  const unlink = () => call(unit((done) => fs.unlink(path, done))).catch(() => {})
  const openedLate = (fd: number) => {
    closeQuietly(fd)
    void unlink()
  }
  const fd = await making(
    () => root.make(tenant, "tmp"),
    () => call<number>((done) => fs.open(path, "wx", 0o600, done), openedLate)
  )
  const file = tracked(call)
  const intake = new FileWriter(file.call, pace, fd)
  // Settles when no call uses the file any more; no new call is started.
  const retire = () => {
    intake.close()
    return file.retire()
  }
  try {
    await copyInto(source, intake, signal)
    const written = await intake.finish()
    signal.throwIfAborted()
    const blob = paths.blob(tenant, written.sha256)
    const isNew = await publish(call, root, path, blob, written.size)
    if (signal.aborted && isNew) {
      const { mtimeMs } = await file.call<fs.Stats>((done) => fs.fstat(fd, done))
      await removeIf(call, root, blob, (modified) => modified === mtimeMs)
    }
    return written
  } catch (error) {
    const cleaned = retire().then(unlink)
    // A hanging folder would block the cleanup too; then it happens when the folder responds again.
    if (!(error instanceof Overdue)) await within(call.deadline, cleaned).catch(() => {})
    throw error
  } finally {
    void retire().then(() => closeQuietly(fd))
  }
}
