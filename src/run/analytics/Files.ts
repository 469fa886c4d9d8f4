import { type FileHandle, realpath, symlink } from "node:fs/promises"
import { join } from "node:path"
import { Failure } from "../../drivers/Failure.ts"
import { openInside } from "../../drivers/files/OpenInside.ts"
import { type Format, formatOf } from "../../nodes/inputs/files/Format.ts"
import type { RunContext } from "../../nodes/Node.ts"
import type { Reference } from "../../protocol/References.ts"
import { quotedLines, tooLongReason } from "./QuotedLines.ts"
import type { Scratch } from "./Scratch.ts"

/** A file as DuckDB reads it. */
export interface Opened {
  /** The path that DuckDB is given. */
  readonly path: string
  /** The file's name for the user. */
  readonly name: string
  readonly format: Format
  readonly bytes: number
}

/** Open files that are kept for DuckDB; the rest of a large set is reached by links. */
const maxHeld = 200
/** Linux opens a file anew under the name of its descriptor, so what was checked is what is read. */
const held = process.platform === "linux" ? "/proc/self/fd/" : undefined

/** The byte order mark of UTF-8: DuckDB takes it for JSON. */
const mark = Buffer.from("\ufeff")

const beginsWithMark = async (file: FileHandle): Promise<boolean> => {
  const { buffer } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0)
  return buffer.equals(mark)
}

async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun = false
  for await (const chunk of bytes) {
    const isMarked = !begun && mark.equals(chunk.subarray(0, mark.length))
    begun = true
    yield isMarked ? chunk.subarray(mark.length) : chunk
  }
}

type Ready = Pick<Opened, "path" | "bytes">

/** Who reads files, and how. */
export interface Reading {
  readonly component: string
  readonly context: RunContext
  /** The format of all files; by default each has that of its name. */
  readonly format: Format | undefined
  readonly reject: (beginning: string, reason: string) => void
}

/** Makes the tenant's files readable for DuckDB, and remembers whose they are. */
export class Files {
  readonly #conf: string
  readonly #scratch: Scratch
  readonly #held: Array<{ readonly close: () => Promise<void> }> = []
  /** All files that were opened, with the component that reads them. */
  readonly opened: Array<Opened & { readonly component: string }> = []
  /** Files that are read where they are. */
  readonly direct: Array<string> = []

  constructor(conf: string, scratch: Scratch) {
    this.#conf = conf
    this.#scratch = scratch
  }

  /** All files that the pattern names. `reject` gets the beginning of lines that are given up. */
  async open(pattern: string, reading: Reading): Promise<ReadonlyArray<Opened>> {
    const { context, component } = reading
    const found: Array<Opened> = []
    for (const name of await context.glob(pattern)) {
      context.signal.throwIfAborted()
      const format = reading.format ?? formatOf(name)
      const isPlain = format !== "lines" && !name.endsWith(".gz")
      const ready = isPlain
        ? await this.#plain(name, format, reading)
        : await this.#copy(context.read(name), format, reading)
      found.push({ ...ready, name, format })
    }
    for (const file of found) this.opened.push({ ...file, component })
    return found
  }

  /** A stored file: its bytes come through the run. */
  async fetch(reference: Reference, reading: Reading): Promise<ReadonlyArray<Opened>> {
    const { name, read } = await reading.context.open(reference)
    const format = reading.format ?? formatOf(name)
    const file = { ...(await this.#copy(read(), format, reading)), name, format }
    this.opened.push({ ...file, component: reading.component })
    return [file]
  }

  /** Decompressed, as DuckDB takes a gzip file that is cut short for a whole one; lines as a csv file of them. */
  #copy(bytes: AsyncIterable<Uint8Array>, format: Format, { reject }: Reading): Promise<Ready> {
    if (format === "ndjson") return this.#scratch.write(format, withoutMark(bytes))
    if (format !== "lines") return this.#scratch.write(format, bytes)
    return this.#scratch.write(
      "lines",
      quotedLines(bytes, (line) => reject(line, tooLongReason))
    )
  }

  async #plain(name: string, format: Format, reading: Reading): Promise<Ready> {
    const file = await openInside(this.#conf, name)
    if (typeof file === "string") {
      const why = file === "denied" ? "may not be read" : file === "special" ? "is not a file" : "does not exist"
      throw new Failure(`The file "${name}" ${why}`)
    }
    if (format === "ndjson" && (await beginsWithMark(file.handle))) {
      await file.handle.close()
      return this.#copy(reading.context.read(name), format, reading)
    }
    if (held !== undefined && this.#held.length < maxHeld) {
      this.#held.push(file.handle)
      const path = `${held}${file.handle.fd}`
      this.direct.push(path)
      return { path, bytes: file.size }
    }
    await file.handle.close()
    const path = await realpath(join(this.#conf, name))
    // Under a name that is no pattern for DuckDB.
    const link = this.#scratch.path(format)
    await symlink(path, link)
    this.direct.push(path, link)
    return { path: link, bytes: file.size }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#held.map((handle) => handle.close()))
  }
}
