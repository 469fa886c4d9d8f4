import { symlink } from "node:fs/promises"
import { decode, type Encoding, replacedIn, withoutMark } from "../../languages/Encoding.ts"
import { tooLong } from "../../nodes/formats/LineReader.ts"
import { keptLength, LineSplitter } from "../../nodes/formats/LineSplitter.ts"
import { WholeLines } from "../../nodes/formats/WholeLines.ts"
import { type Format, formatOf } from "../../nodes/inputs/files/Format.ts"
import type { RunContext } from "../../nodes/Node.ts"
import type { InputFiles, OpenFile, Storage } from "../../nodes/ports/NodeFiles.ts"
import { compressionOf } from "../../nodes/settings/Paths.ts"
import type { Reference } from "../../protocol/References.ts"
import { hasMixedEnds, withEvenEnds } from "./LineEnds.ts"
import type { Scratch } from "./Scratch.ts"

/** The text of a file, as UTF-8 without a byte order mark. `replaced` receives numbers of bytes that became U+FFFD. */
async function* texts(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  replaced: (bytes: number) => void
): AsyncGenerator<string> {
  const whole = new WholeLines(encoding)
  let isBegun = false
  const read = (block: Uint8Array): string => {
    const text = decode(block, whole.encoding)
    const count = replacedIn(block, text, whole.encoding)
    if (count > 0) replaced(count)
    const own = isBegun ? text : withoutMark(text)
    isBegun = true
    return own
  }
  for await (const chunk of chunks) {
    const block = whole.push(chunk)
    if (block !== undefined) yield read(block)
  }
  const rest = whole.rest()
  if (rest.length > 0) yield read(rest)
}

/**
 * The lines of a text as a CSV file with one quoted column, so that DuckDB interprets nothing in them. LF or CRLF end a
 * line, empty lines stay. `tooLong` receives the beginning of each dropped line.
 */
async function* quotedLines(
  texts: AsyncIterable<string>,
  tooLong: (beginning: string) => void
): AsyncGenerator<string> {
  const splitter = new LineSplitter((line) => tooLong(line.slice(0, keptLength)))
  const quoted = (lines: ReadonlyArray<string>): string =>
    `"${lines.join("\n").replaceAll('"', '""').replaceAll("\n", '"\n"')}"\n`
  for await (const text of texts) {
    const lines = splitter.push(text)
    if (lines.length > 0) yield quoted(lines)
  }
  const rest = splitter.end()
  if (rest.length > 0) yield quoted(rest)
}

/** A file that DuckDB can read. */
export interface OpenedFile {
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

async function* withoutMarkBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun = false
  for await (const chunk of bytes) {
    const isMarked = !begun && mark.equals(chunk.subarray(0, mark.length))
    begun = true
    yield isMarked ? chunk.subarray(mark.length) : chunk
  }
}

type Ready = Pick<OpenedFile, "path" | "bytes">

/** The node that reads files, and its options. */
interface Reading {
  readonly component: string
  readonly context: RunContext
  /** The format of all files; by default derived from each file's name. */
  readonly format: Format | undefined
  readonly encoding: Encoding
  readonly reject: (beginning: string, reason: string) => void
  /** Receives numbers of bytes that became U+FFFD. */
  readonly replaced: (bytes: number) => void
}

/** Prepares files for DuckDB, and records which component reads them. */
export class Files {
  readonly #scratch: Scratch
  readonly #held: Array<{ readonly close: () => Promise<void> }> = []
  /** All opened files with the component that reads them. */
  readonly opened: Array<OpenedFile & { readonly component: string }> = []
  /** Paths of the files that DuckDB reads in place. */
  readonly direct: Array<string> = []

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  /** Opens all files that match the pattern. `reject` receives the beginning of every line that is too long. */
  async open(pattern: string, storage: Storage | undefined, reading: Reading): Promise<ReadonlyArray<OpenedFile>> {
    const { context, component } = reading
    const files = storage === undefined ? context : context.filesIn(storage)
    const found: Array<OpenedFile> = []
    for (const name of await files.glob(pattern)) {
      context.signal.throwIfAborted()
      const format = reading.format ?? formatOf(name)
      const isDecoded = reading.encoding === "utf-8" || format === "parquet"
      const isPlain = format !== "lines" && isDecoded && compressionOf(name) === undefined
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
  async fetch(reference: Reference, reading: Reading): Promise<ReadonlyArray<OpenedFile>> {
    const { name, read } = await reading.context.open(reference)
    const format = reading.format ?? formatOf(name)
    const file = { ...(await this.#copy(read(), format, reading)), name, format }
    this.opened.push({ ...file, component: reading.component })
    return [file]
  }

  /** Takes the bytes in place of the files that a component reads. */
  async given(bytes: Uint8Array, reading: Reading & { readonly format: Format }): Promise<ReadonlyArray<OpenedFile>> {
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
  #copy(bytes: AsyncIterable<Uint8Array>, format: Format, { encoding, reject, replaced }: Reading): Promise<Ready> {
    if (format === "lines") {
      const lines = quotedLines(texts(bytes, encoding, replaced), (line) => reject(line, tooLong))
      return this.#scratch.write("lines", lines)
    }
    if (encoding !== "utf-8" && format !== "parquet")
      return this.#scratch.write(format, texts(bytes, encoding, replaced))
    return this.#scratch.write(format, format === "ndjson" ? withoutMarkBytes(bytes) : bytes)
  }

  /**
   * The files with all rows of each ending alike: DuckDB reads no CSV file whose rows end partly in LF, partly in CRLF.
   * Undefined when there is none of these.
   */
  async even(files: ReadonlyArray<OpenedFile>): Promise<ReadonlyArray<OpenedFile> | undefined> {
    const found: Array<OpenedFile> = []
    for (const file of files) {
      const isMixed = file.format === "csv" && (await hasMixedEnds(file.path))
      if (!isMixed) {
        found.push(file)
        continue
      }
      const even = { ...file, ...(await this.#scratch.write("csv", withEvenEnds(file.path))) }
      found.push(even)
      const at = this.opened.findIndex(({ path }) => path === file.path)
      if (at >= 0) this.opened[at] = { ...this.opened[at]!, ...even }
    }
    return found.every((file, index) => file === files[index]) ? undefined : found
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
