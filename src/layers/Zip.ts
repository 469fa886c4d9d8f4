import { once } from "node:events"
import { createReadStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, pipeline, type Readable } from "node:stream"
import { ZipArchive } from "archiver"
import type { Sink } from "../services/nodes/Node.ts"

const buffered = 1024 * 1024

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
  const archive = new ZipArchive({
    highWaterMark: buffered,
    ...(options.level === 0 ? { store: true } : { zlib: { level: options.level, chunkSize: 64 * 1024 } })
  })
  const bytes = new PassThrough({ highWaterMark: buffered })
  const aborted = new AbortController()
  const failed = (cause: Error) => {
    if (!aborted.signal.aborted) aborted.abort(cause)
    bytes.destroy(cause)
  }
  archive.on("error", failed)
  pipeline(archive, bytes, (error) => {
    if (error) failed(error)
  })

  const taken = new Set<string>()
  let direct: PassThrough | undefined
  let count = 0

  const straight = (name: string): Sink => {
    const stream = new PassThrough({ highWaterMark: buffered })
    direct = stream
    stream.on("error", () => {})
    aborted.signal.addEventListener("abort", () => stream.destroy(aborted.signal.reason), { once: true })
    archive.append(stream, { name })
    const write = async (chunk: Uint8Array | string) => {
      aborted.signal.throwIfAborted()
      if (!stream.write(chunk)) await once(stream, "drain", { signal: aborted.signal })
    }
    const close = async () => {
      aborted.signal.throwIfAborted()
      stream.end()
      if (direct === stream) direct = undefined
    }
    return { write, close }
  }

  const waiting = async (name: string): Promise<Sink> => {
    const path = join(await options.scratch(), `entry-${count}`)
    const handle = await open(path, "wx")
    const write = async (chunk: Uint8Array | string) => {
      aborted.signal.throwIfAborted()
      await handle.appendFile(chunk)
    }
    const close = async () => {
      await handle.close()
      aborted.signal.throwIfAborted()
      const file = createReadStream(path, { highWaterMark: 256 * 1024 })
      file.on("error", failed)
      file.on("close", () => void rm(path, { force: true }))
      archive.append(file, { name })
    }
    return { write, close }
  }

  return {
    bytes,
    entry: async (wanted) => {
      aborted.signal.throwIfAborted()
      const name = unique(safeName(wanted), taken)
      count++
      return direct === undefined ? straight(name) : waiting(name)
    },
    seal: async () => {
      aborted.signal.throwIfAborted()
      const stopped = new Promise<never>((_, reject) =>
        aborted.signal.addEventListener("abort", () => reject(aborted.signal.reason), { once: true })
      )
      await Promise.race([archive.finalize(), stopped])
      return count
    },
    abort: failed
  }
}
