import { createReadStream } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import type { Sink } from "../../nodes/ports/NodeFiles.ts"
import { Blocks, ZipPacker } from "./Blocks.ts"
import { EntryNames } from "./EntryNames.ts"
import { centralHeader, descriptor, dosTime, endOfZip, localHeader } from "./ZipFormat.ts"

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
  const names = new EntryNames()
  /** The entries that are in the zip, as the central directory has them. */
  const directory: Array<Buffer> = []
  /** Entries that wait in `scratch` for their turn. */
  const waitingFiles: Array<{ readonly name: string; readonly path: string }> = []
  /** Whether an entry is being written into the zip. */
  let busy = false
  let at = 0
  let opened = 0
  let count = 0
  let unclosed = 0
  let failure: Error | undefined
  /** Rejects the promises that wait for the zip, when it fails. */
  const waiting = new Set<(cause: Error) => void>()
  let isRead: (() => void) | undefined
  /** Called when no entry is left to be written. */
  let idle: (() => void) | undefined
  const bytes = new Readable({ highWaterMark: buffered, read: () => isRead?.() })
  // A failure also reaches those who write; a zip that nobody reads yet must not end the process.
  bytes.on("error", () => {})

  const abort = (cause: Error) => {
    if (failure !== undefined) return
    failure = cause
    for (const reject of waiting) reject(cause)
    waiting.clear()
    bytes.destroy(cause)
  }
  bytes.once("close", () => {
    if (!bytes.readableEnded) abort(new Error("the zip is no longer read"))
  })

  const check = () => {
    if (failure !== undefined) throw failure
  }

  /** A promise that also rejects when the zip fails. */
  const orFailure = <A>(start: (resolve: (value: A) => void) => void) =>
    new Promise<A>((resolve, reject) => {
      if (failure !== undefined) return reject(failure)
      waiting.add(reject)
      start((value) => {
        waiting.delete(reject)
        resolve(value)
      })
    })

  const orFailed = (room: void | Promise<void>): void | Promise<void> =>
    room === undefined ? undefined : orFailure((resolve) => room.then(resolve))

  const emit = (some: Uint8Array): void | Promise<void> => {
    check()
    at += some.length
    if (!bytes.push(some)) {
      return orFailure<void>((resolve) => {
        isRead = resolve
      })
    }
  }
  const packing = new ZipPacker(level, emit, (cause) =>
    abort(cause instanceof Error ? cause : new Error(String(cause)))
  )

  /** Begins an entry in the zip. Nothing else may be written into the zip before its `end`. */
  const begin = (wanted: string) => {
    const entry = { name: Buffer.from(wanted), deflated: level > 0, time: dosTime(new Date()) }
    let start = 0
    packing.add(() => {
      start = at
      return localHeader(entry)
    })
    const blocks = new Blocks(packing)
    const end = () =>
      blocks.end((packed) => {
        directory.push(centralHeader({ ...entry, ...packed, at: start }))
        return descriptor(packed)
      })
    return { write: (chunk: Uint8Array | string) => orFailed(blocks.write(chunk)), end: () => orFailed(end()) }
  }

  /** Writes the entries that wait, one after the other. */
  const writeWaiting = async () => {
    for (let next = waitingFiles.shift(); next !== undefined; next = waitingFiles.shift()) {
      const { name, path } = next
      const entry = begin(name)
      for await (const chunk of createReadStream(path, { highWaterMark: buffered })) await entry.write(chunk)
      await entry.end()
      await rm(path, { force: true })
    }
    busy = false
    idle?.()
  }
  const goOn = () => void writeWaiting().catch(abort)

  const sink = (write: Sink["write"], end: () => Promise<void>): Sink => {
    count++
    unclosed++
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
    busy = true
    const { write, end } = begin(name)
    return sink(write, async () => {
      check()
      // Waits for room: many small entries must not accumulate.
      await end()
      goOn()
    })
  }

  const spooled = (name: string, path: string, file: FileHandle): Sink =>
    sink(
      (chunk) => file.appendFile(chunk),
      async () => {
        await file.close()
        check()
        waitingFiles.push({ name, path })
        if (busy) return
        busy = true
        goOn()
      }
    )

  const drained = () =>
    orFailure<void>((resolve) => {
      if (busy) idle = resolve
      else resolve()
    })

  return {
    bytes,
    abort,
    entry: async (wanted) => {
      check()
      const name = names.take(wanted)
      if (!busy) return straight(name)
      const path = join(await options.scratch(), `entry-${++opened}`)
      return spooled(name, path, await open(path, "wx", 0o600))
    },
    seal: async () => {
      if (unclosed > 0) abort(new Error("an entry of the archive is still open"))
      check()
      await drained()
      if (names.renamed.length > 0) {
        const note = straight(names.take(manifest))
        await note.write(
          `${JSON.stringify({ renamed: names.renamed.filter(({ entry }) => entry !== manifest) }, null, 2)}\n`
        )
        await note.close()
        await drained()
      }
      await orFailure((resolve) => packing.emptied.then(resolve, () => {}))
      const [entries, start] = [directory.length, at]
      for (const header of directory) await emit(header)
      await emit(endOfZip(entries, at - start, start))
      await orFailure<void>((resolve) => {
        bytes.once("end", resolve)
        bytes.push(null)
      })
      return count
    }
  }
}
