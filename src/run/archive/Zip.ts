import { createReadStream } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, pipeline, type Readable } from "node:stream"
import { ZipArchive } from "archiver"
import type { Sink } from "../../nodes/NodeFiles.ts"
import { EntryNames } from "./EntryNames.ts"

const buffered = 256 * 1024

/** The entry that tells which entries have another name than they were given. */
const manifest = "manifest.json"

/** A zip file that is being written. `bytes` must be read while entries are added; it ends after `seal`. */
export interface Zip {
  /** Fails if the zip is aborted before it is sealed, so that a reader never takes a part for the whole. */
  readonly bytes: Readable
  /**
   * Adds an entry. One entry at a time is written directly into the zip; entries opened meanwhile are buffered in
   * `scratch` until they are closed. The name is made safe and unique: see `EntryNames.ts`.
   */
  readonly entry: (name: string) => Promise<Sink>
  /**
   * Completes the zip, whose entries must be closed, with a manifest when one has been renamed. Resolves with the number
   * of entries when the last byte has been read.
   */
  readonly seal: () => Promise<number>
  readonly abort: (cause: Error) => void
}

/** Starts a zip. `level` is the deflate level (0 stores); `scratch` creates the folder for buffered entries. */
export const zip = (options: { readonly level: number; readonly scratch: () => Promise<string> }): Zip => {
  const { level } = options
  const archive = new ZipArchive({
    highWaterMark: buffered,
    ...(level === 0 ? { store: true } : { zlib: { level, chunkSize: 64 * 1024 } })
  })
  const bytes = new PassThrough({ highWaterMark: buffered })
  const names = new EntryNames()
  let opened = 0
  let failure: Error | undefined
  /** The entry that is written directly into the zip. */
  let direct: PassThrough | undefined
  /** Rejects the promises that wait for the zip, when it fails. */
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
  /** Callbacks for entries that are completely in the zip, in the order of the entries. */
  const written: Array<() => void> = []
  archive.on("entry", () => written.shift()?.())
  archive.on("error", abort)
  pipeline(archive, bytes, (error) => {
    if (error) abort(error)
  })

  /** A promise that also rejects when the zip fails. */
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
    // Waits until the zip has the whole entry; otherwise many small entries would accumulate.
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
      const name = names.take(wanted)
      if (direct === undefined) return straight(name)
      const path = join(await options.scratch(), `entry-${++opened}`)
      return spooled(name, path, await open(path, "wx", 0o600))
    },
    seal: async () => {
      if (unclosed > 0) abort(new Error("an entry of the archive is still open"))
      if (failure !== undefined) throw failure
      if (names.renamed.length > 0) {
        const note = straight(names.take(manifest))
        await note.write(
          `${JSON.stringify({ renamed: names.renamed.filter(({ entry }) => entry !== manifest) }, null, 2)}\n`
        )
        await note.close()
      }
      await orFailure<void>((resolve, reject) => archive.finalize().then(resolve, reject))
      return count
    }
  }
}
