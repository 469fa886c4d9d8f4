import { createReadStream } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, pipeline, type Readable } from "node:stream"
import { ZipArchive } from "archiver"
import type { Sink } from "../../nodes/Node.ts"

const buffered = 256 * 1024

/** A zip file being written: read `bytes` while entries are added, `seal` it, and `bytes` ends. */
export interface Zip {
  /** Fails when the zip is aborted before it was sealed, so a reader never takes a part for the whole. */
  readonly bytes: Readable
  /**
   * A new entry. One entry at a time goes straight into the zip; those opened meanwhile are kept in `scratch` until
   * they are closed and their turn comes. The name is made safe and unique.
   */
  readonly entry: (name: string) => Promise<Sink>
  /** Closes the zip; all entries must be closed. Resolves with their number when the last byte was taken. */
  readonly seal: () => Promise<number>
  readonly abort: (cause: Error) => void
}

/** A relative path that every unpacker reads alike: no drive, no `..`, no backslash, no control character. */
export const safeName = (name: string): string => {
  const parts = name
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]/g, "_")
    .split(/[/\\]/)
    .map((part) => part.replace(/[<>:"|?*]/g, "_"))
    .filter((part) => part !== "" && !/^\.+$/.test(part))
  return parts.length === 0 ? "entry" : parts.join("/")
}

/** The name, or the name with a number before its extension when it is taken. Some file systems ignore case. */
const unique = (name: string, taken: Set<string>): string => {
  const dot = name.lastIndexOf(".")
  const cut = dot > name.lastIndexOf("/") + 1 ? dot : name.length
  let free = name
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name.slice(0, cut)}-${n}${name.slice(cut)}`
  taken.add(free.toLowerCase())
  return free
}

/** Starts a zip. `level` is deflate's, 0 stores; `scratch` makes and names a folder for entries that wait. */
export const zip = (options: { readonly level: number; readonly scratch: () => Promise<string> }): Zip => {
  const { level } = options
  const archive = new ZipArchive({
    highWaterMark: buffered,
    ...(level === 0 ? { store: true } : { zlib: { level, chunkSize: 64 * 1024 } })
  })
  const bytes = new PassThrough({ highWaterMark: buffered })
  const taken = new Set<string>()
  let failure: Error | undefined
  /** The entry that goes straight into the zip. */
  let direct: PassThrough | undefined
  /** Who waits for the zip to take something, and must hear of its failure. */
  const waiting = new Set<(cause: Error) => void>()
  let count = 0
  let unclosed = 0

  const abort = (cause: Error) => {
    if (failure !== undefined) return
    failure = cause
    for (const reject of waiting) reject(cause)
    waiting.clear()
    bytes.destroy(cause)
    archive.destroy()
    direct?.destroy()
  }
  /** What to do when an entry is in the zip, in the order of the entries there. */
  const written: Array<() => void> = []
  archive.on("entry", () => written.shift()?.())
  archive.on("error", abort)
  pipeline(archive, bytes, (error) => {
    if (error) abort(error)
  })

  /** Settles as `start` says, or with the failure of the zip. */
  const orFailure = <A>(start: (resolve: (value: A) => void, reject: (cause: unknown) => void) => void) =>
    new Promise<A>((resolve, reject) => {
      if (failure !== undefined) return reject(failure)
      waiting.add(reject)
      const settle =
        <V>(then: (value: V) => void) =>
        (value: V) => {
          waiting.delete(reject)
          then(value)
        }
      start(settle(resolve), settle(reject))
    })

  const sink = (write: Sink["write"], end: () => void | Promise<void>): Sink => {
    count++
    unclosed++
    const check = () => {
      if (failure !== undefined) throw failure
    }
    return {
      write: (chunk) => {
        check()
        return write(chunk)
      },
      close: async () => {
        unclosed--
        await end()
        check()
      }
    }
  }

  const straight = (name: string): Sink => {
    const stream = new PassThrough({ highWaterMark: buffered })
    direct = stream
    archive.append(stream, { name })
    const write = (chunk: Uint8Array | string) =>
      stream.write(chunk) ? undefined : orFailure<void>((resolve) => stream.once("drain", resolve))
    let finish = () => {}
    written.push(() => finish())
    // Waits until the zip has all of it, or many small entries would pile up.
    const end = () => {
      direct = undefined
      return orFailure<void>((resolve) => {
        finish = resolve
        stream.end()
      })
    }
    return sink(write, end)
  }

  const spooled = (name: string, path: string, file: FileHandle): Sink => {
    const end = async () => {
      await file.close()
      if (failure !== undefined) return
      const stored = createReadStream(path, { highWaterMark: 256 * 1024 })
      stored.on("error", abort)
      stored.on("close", () => void rm(path, { force: true }))
      written.push(() => {})
      archive.append(stored, { name })
    }
    return sink((chunk) => file.appendFile(chunk), end)
  }

  return {
    bytes,
    abort,
    entry: async (wanted) => {
      if (failure !== undefined) throw failure
      const name = unique(safeName(wanted), taken)
      if (direct === undefined) return straight(name)
      const path = join(await options.scratch(), `entry-${taken.size}`)
      return spooled(name, path, await open(path, "wx", 0o600))
    },
    seal: async () => {
      if (unclosed > 0) abort(new Error("an entry of the archive is still open"))
      if (failure !== undefined) throw failure
      await orFailure<void>((resolve, reject) => archive.finalize().then(resolve, reject))
      return count
    }
  }
}
