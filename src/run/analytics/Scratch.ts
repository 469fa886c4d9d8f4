import { mkdir, open, stat } from "node:fs/promises"
import { join } from "node:path"
import { Failure, writeFailure } from "../../drivers/Failure.ts"

/** A finished file: its path and its size in bytes. */
export interface Grown {
  readonly path: string
  readonly bytes: number
}

interface Growing {
  readonly append: (chunk: Uint8Array | string) => Promise<void>
  readonly close: () => Promise<Grown>
}

/** The run's temporary folder: files that DuckDB cannot read in place, and files that it writes. */
export class Scratch {
  readonly folder: string
  readonly limit: number
  #files = 0
  #left: number

  /** `limit` in bytes: the total of the files copied for reading, and the size of each written file. */
  constructor(folder: string, limit: number) {
    this.folder = folder
    this.limit = limit
    this.#left = limit
  }

  make(): Promise<unknown> {
    return mkdir(this.folder, { recursive: true, mode: 0o700 })
  }

  /** A path for a new file. */
  path(extension: string): string {
    return join(this.folder, `${++this.#files}.${extension}`)
  }

  /** Creates a file to append to. */
  async open(extension: string): Promise<Growing> {
    const path = this.path(extension)
    const file = await open(path, "wx", 0o600)
    let bytes = 0
    return {
      append: async (chunk) => {
        const data = typeof chunk === "string" ? Buffer.from(chunk) : chunk
        bytes += data.length
        this.#left -= data.length
        if (this.#left < 0)
          throw new Failure(`The data of the inputs exceeds the size limit of a run (${this.limit} bytes)`)
        await file.appendFile(data).catch((error) => {
          throw writeFailure(error, "A temporary file of the run")
        })
      },
      close: async () => {
        await file.close()
        return { path, bytes }
      }
    }
  }

  /** Writes a file from chunks. */
  async write(extension: string, chunks: AsyncIterable<Uint8Array | string>): Promise<Grown> {
    const file = await this.open(extension)
    let grown: Grown
    try {
      for await (const chunk of chunks) await file.append(chunk)
    } finally {
      grown = await file.close()
    }
    return grown
  }

  /** Waits for `work`, which writes the file at `path`; calls `stop` and fails when the file exceeds the limit. */
  async watch<A>(path: string, what: string, work: Promise<A>, stop: () => void): Promise<A> {
    let over = false
    const look = async () => {
      const size = await stat(path).then(
        (found) => found.size,
        () => 0
      )
      if (size <= this.limit || over) return
      over = true
      stop()
    }
    const timer = setInterval(() => void look(), 200)
    try {
      const result = await work
      await look()
      if (!over) return result
    } catch (error) {
      if (!over) throw error
    } finally {
      clearInterval(timer)
    }
    throw new Failure(`${what} exceeds the size limit of a run (${this.limit} bytes)`)
  }
}
