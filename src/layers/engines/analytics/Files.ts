import { realpath, symlink } from "node:fs/promises"
import { join } from "node:path"
import type { RunContext } from "../../../services/nodes/Node.ts"
import { extensionOf } from "../../../services/nodes/Paths.ts"
import { openInside } from "../../files/OpenInside.ts"
import { Failure } from "../child/Failure.ts"
import { quotedLines, tooLongReason } from "./Lines.ts"
import type { Scratch } from "./Scratch.ts"

export const formats = ["lines", "ndjson", "csv", "parquet"] as const
export type Format = (typeof formats)[number]

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

const formatOf = (path: string): Format => {
  const extension = extensionOf(path)
  if (extension === "csv" || extension === "parquet") return extension
  return extension === "ndjson" || extension === "jsonl" || extension === "json" ? "ndjson" : "lines"
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
  async open(
    pattern: string,
    format: string | undefined,
    component: string,
    context: RunContext,
    reject: (beginning: string, reason: string) => void
  ): Promise<ReadonlyArray<Opened>> {
    const found: Array<Opened> = []
    for (const name of await context.glob(pattern)) {
      context.signal.throwIfAborted()
      const chosen = formats.find((known) => known === format) ?? formatOf(name)
      const { path, bytes } = await this.#ready(name, chosen, context, reject)
      found.push({ path, bytes, name, format: chosen })
    }
    for (const file of found) this.opened.push({ ...file, component })
    return found
  }

  async #ready(
    name: string,
    format: Format,
    context: RunContext,
    reject: (beginning: string, reason: string) => void
  ): Promise<{ readonly path: string; readonly bytes: number }> {
    if (format === "lines") {
      const lines = quotedLines(context.read(name), (line) => reject(line, tooLongReason))
      return this.#scratch.write("lines", lines)
    }
    // DuckDB takes a gzip file that is cut short for a whole one.
    if (name.endsWith(".gz")) return this.#scratch.write(format, context.read(name))
    const file = await openInside(this.#conf, name)
    if (typeof file === "string") {
      const why = file === "denied" ? "may not be read" : file === "special" ? "is not a file" : "does not exist"
      throw new Failure(`The file "${name}" ${why}`)
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
