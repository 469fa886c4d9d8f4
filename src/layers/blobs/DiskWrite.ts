import * as fs from "node:fs"
import { dirname, join } from "node:path"
import type { Blob } from "../../services/blobs/Blobs.ts"
import { within } from "../files/Deadline.ts"
import { type Calls, codeOf, Overdue, tracked, unit } from "./Calls.ts"
import { type BlobPath, diskPaths } from "./DiskPaths.ts"
import { removeIf } from "./DiskRemove.ts"
import { closeQuietly, type Root, syncFolder } from "./Folder.ts"
import { pump } from "./Pump.ts"
import { Sha256 } from "./Sha256.ts"
import { temporaryName } from "./Temporary.ts"

/** Bytes that may wait for their sync: few enough that one sync ends within the deadline on a slow disk. */
const unsyncedLimit = 32 * 1024 * 1024

/** Does it again after making the folder that was missing. */
const making = async <A>(make: () => Promise<void>, action: () => Promise<A>): Promise<A> => {
  try {
    return await action()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await make()
  return action()
}

/** Writes all the buffers, also where the kernel takes a part of them only. */
const writeAll = async (call: Calls, fd: number, buffers: ReadonlyArray<Uint8Array>, position: number) => {
  let left = buffers
  let at = position
  while (left.length > 0) {
    const written = await call<number>((done) => fs.writev(fd, left, at, done))
    if (written === 0) throw new Error("the storage takes no bytes")
    at += written
    let skip = written
    const next: Array<Uint8Array> = []
    for (const buffer of left) {
      if (skip < buffer.length) next.push(skip === 0 ? buffer : buffer.subarray(skip))
      skip = Math.max(0, skip - buffer.length)
    }
    left = next
  }
}

/** A file under a temporary name: bytes go in, and it is durable when `finish` returns. */
class TemporaryFile {
  readonly #call: Calls
  readonly #fd: number
  readonly #hash = new Sha256()
  #size = 0
  #unsynced = 0
  #syncing: Promise<void> = Promise.resolve()
  readonly #tracked: ReturnType<typeof tracked>

  constructor(call: Calls, fd: number) {
    this.#tracked = tracked(call)
    this.#call = this.#tracked.call
    this.#fd = fd
  }

  readonly write = async (buffers: ReadonlyArray<Uint8Array>, bytes: number): Promise<void> => {
    const hashed = this.#hash.add(buffers, bytes)
    hashed.catch(() => {})
    await writeAll(this.#call, this.#fd, buffers, this.#size)
    await hashed
    this.#size += bytes
    this.#unsynced += bytes
    if (this.#unsynced < unsyncedLimit) return
    this.#unsynced = 0
    await this.#syncing
    this.#syncing = this.#call(unit((done) => fs.fdatasync(this.#fd, done)))
    this.#syncing.catch(() => {})
  }

  async finish(): Promise<Blob> {
    await this.#syncing
    await this.#call(unit((done) => fs.fsync(this.#fd, done)))
    return { sha256: await this.#hash.digest(), size: this.#size }
  }

  async modified(): Promise<number> {
    const { mtimeMs } = await this.#call<fs.Stats>((done) => fs.fstat(this.#fd, done))
    return mtimeMs
  }

  /** Settles when no call uses the file any more; there are none from now on. */
  retire(): Promise<void> {
    this.#hash.close()
    return this.#tracked.retire()
  }
}

const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/**
 * Gives a finished file its name. A blob of equal content that is already there is kept, and marked as written now so
 * that nobody sweeps it; one of another size was damaged and is replaced. Tells whether the name is new.
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
  // A removal between `link` and `utimes` shows as ENOENT as well, and the second attempt links the blob again.
  const isNew = await making(() => root.make(blob.tenant, "blobs", blob.fan), attempt)
  await syncFolder(call, dirname(blob.path))
  return isNew
}

/** Stores the source's bytes under their hash. Whatever goes wrong, the temporary file is removed. */
export const writeBlob = async (
  call: Calls,
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
  const file = new TemporaryFile(call, fd)
  try {
    await pump(source, file.write, signal)
    const written = await file.finish()
    signal.throwIfAborted()
    const blob = paths.blob(tenant, written.sha256)
    const isNew = await publish(call, root, path, blob, written.size)
    if (signal.aborted && isNew) {
      const modified = await file.modified()
      await removeIf(call, root, blob, (time) => time === modified)
    }
    return written
  } catch (error) {
    const cleaned = file.retire().then(unlink)
    // A folder that hangs would hold the cleaning up as well: it is done when the folder answers again.
    if (!(error instanceof Overdue)) await within(call.deadline, cleaned).catch(() => {})
    throw error
  } finally {
    void file.retire().then(() => closeQuietly(fd))
  }
}
