import { symlink } from "node:fs/promises"
import { keptLength, LineSplitter, maxLineLength } from "../../nodes/formats/LineSplitter.ts"
import { type Format, formatOf } from "../../nodes/inputs/files/Format.ts"
import type { RunContext } from "../../nodes/Node.ts"
import type { InputFiles, OpenFile, Storage } from "../../nodes/NodeFiles.ts"
import { compressionOf } from "../../nodes/Paths.ts"
import type { Reference } from "../../protocol/References.ts"
import type { Scratch } from "./Scratch.ts"

/**
 * The lines of a text file as a CSV file with one quoted column, so that DuckDB interprets nothing in them. LF or CRLF
 * end a line, invalid UTF-8 becomes U+FFFD, empty lines stay. `tooLong` receives the beginning of each dropped line.
 */
export async function* quotedLines(
  chunks: AsyncIterable<Uint8Array>,
  tooLong: (beginning: string) => void
): AsyncGenerator<string> {
  const splitter = new LineSplitter((line) => tooLong(line.slice(0, keptLength)))
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let begun = false
  const quoted = (lines: ReadonlyArray<string>): string =>
    `"${lines.join("\n").replaceAll('"', '""').replaceAll("\n", '"\n"')}"\n`
  const decode = (chunk: Uint8Array | undefined): string => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    if (begun || text === "") return text
    begun = true
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
  for await (const chunk of chunks) {
    const lines = splitter.push(decode(chunk))
    if (lines.length > 0) yield quoted(lines)
  }
  const rest = [...splitter.push(decode(undefined)), ...splitter.end()]
  if (rest.length > 0) yield quoted(rest)
}

/** Why a line was dropped. */
export const tooLongReason = `the line is longer than ${maxLineLength} characters`

/** A file that DuckDB can read. */
export interface Opened {
  /** The path for DuckDB. */
  readonly path: string
  /** The file's name in messages to the user. */
  readonly name: string
  readonly format: Format
  readonly bytes: number
}

/** Maximum number of files that are kept open for DuckDB; further files are read through symbolic links. */
const maxHeld = 200
/** Linux reopens a file by the path of its descriptor, so DuckDB reads the file that was checked. */
const held = process.platform === "linux" ? "/proc/self/fd/" : undefined

/** The UTF-8 byte order mark, which DuckDB's JSON reader would parse as content. */
const mark = Buffer.from("\ufeff")

const beginsWithMark = async (file: OpenFile): Promise<boolean> => {
  const head = Buffer.alloc(mark.length)
  await file.read(head, 0)
  return head.equals(mark)
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

/** The node that reads files, and its options. */
export interface Reading {
  readonly component: string
  readonly context: RunContext
  /** The format of all files; by default derived from each file's name. */
  readonly format: Format | undefined
  readonly reject: (beginning: string, reason: string) => void
}

/** Prepares files for DuckDB, and records which component reads them. */
export class Files {
  readonly #scratch: Scratch
  readonly #held: Array<{ readonly close: () => Promise<void> }> = []
  /** All opened files with the component that reads them. */
  readonly opened: Array<Opened & { readonly component: string }> = []
  /** Paths of the files that DuckDB reads in place. */
  readonly direct: Array<string> = []

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  /** Opens all files that match the pattern. `reject` receives the beginning of every line that is too long. */
  async open(pattern: string, storage: Storage | undefined, reading: Reading): Promise<ReadonlyArray<Opened>> {
    const { context, component } = reading
    const files = storage === undefined ? context : context.filesIn(storage)
    const found: Array<Opened> = []
    for (const name of await files.glob(pattern)) {
      context.signal.throwIfAborted()
      const format = reading.format ?? formatOf(name)
      const isPlain = format !== "lines" && compressionOf(name) === undefined
      const ready =
        isPlain && files.openFile !== undefined
          ? await this.#plain(name, await files.openFile(name), format, files, reading)
          : await this.#copy(files.read(name), format, reading)
      found.push({ ...ready, name, format })
    }
    for (const file of found) this.opened.push({ ...file, component })
    return found
  }

  /** Opens a stored file. Its bytes are copied through the run. */
  async fetch(reference: Reference, reading: Reading): Promise<ReadonlyArray<Opened>> {
    const { name, read } = await reading.context.open(reference)
    const format = reading.format ?? formatOf(name)
    const file = { ...(await this.#copy(read(), format, reading)), name, format }
    this.opened.push({ ...file, component: reading.component })
    return [file]
  }

  /** Takes the bytes in place of the files that a component reads. */
  async given(bytes: Uint8Array, reading: Reading & { readonly format: Format }): Promise<ReadonlyArray<Opened>> {
    const { component, format } = reading
    const chunks = async function* () {
      yield bytes
    }
    const file = { ...(await this.#copy(chunks(), format, reading)), name: "the sample", format }
    this.opened.push({ ...file, component })
    return [file]
  }

  /**
   * Copies to the scratch folder: decompressed, because DuckDB accepts a truncated gzip file as complete; lines become
   * a CSV file.
   */
  #copy(bytes: AsyncIterable<Uint8Array>, format: Format, { reject }: Reading): Promise<Ready> {
    if (format === "ndjson") return this.#scratch.write(format, withoutMark(bytes))
    if (format !== "lines") return this.#scratch.write(format, bytes)
    return this.#scratch.write(
      "lines",
      quotedLines(bytes, (line) => reject(line, tooLongReason))
    )
  }

  async #plain(name: string, file: OpenFile, format: Format, files: InputFiles, reading: Reading): Promise<Ready> {
    if (format === "ndjson" && (await beginsWithMark(file))) {
      await file.close()
      return this.#copy(files.read(name), format, reading)
    }
    const bytes = await file.size()
    if (held !== undefined && this.#held.length < maxHeld) {
      this.#held.push(file)
      const path = `${held}${file.id}`
      this.direct.push(path)
      return { path, bytes }
    }
    await file.close()
    const path = await file.path?.()
    if (path === undefined) return this.#copy(files.read(name), format, reading)
    // The link's name contains no glob characters, which DuckDB would expand.
    const link = this.#scratch.path(format)
    await symlink(path, link)
    this.direct.push(path, link)
    return { path: link, bytes }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#held.map((handle) => handle.close()))
  }
}
