import type { Readable } from "node:stream"
import { Overdue } from "../Calls.ts"

/** Number of bytes that are read ahead of the reader. */
const ahead = 512 * 1024

/**
 * The body of an answer, read in pieces of a requested length. The server has a deadline only while a reader waits;
 * without a reader the flow pauses.
 */
export class Body {
  readonly #source: Readable
  #chunks: Array<Buffer> = []
  #bytes = 0
  #ended: { readonly reason: Error } | undefined
  #waiting: { readonly bytes: number; readonly wake: () => void; readonly timer: NodeJS.Timeout } | undefined

  constructor(source: Readable) {
    this.#source = source
    const end = (reason?: Error | null) => {
      this.#ended ??= { reason: reason ?? new Error("the blob is shorter than it was") }
      this.#waiting?.wake()
    }
    source.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
      if (this.#bytes >= Math.max(ahead, this.#waiting?.bytes ?? 0)) source.pause()
      this.#waiting?.timer.refresh()
      if (this.#bytes >= (this.#waiting?.bytes ?? Number.POSITIVE_INFINITY)) this.#waiting?.wake()
    })
    source.on("error", end)
    source.on("end", () => end())
    source.on("close", () => end(source.errored))
  }

  /**
   * Reads exactly this many bytes. Fails when the body ends before, or when nothing arrives for `deadline`
   * milliseconds.
   */
  async take(bytes: number, deadline: number): Promise<Buffer> {
    if (this.#bytes < bytes && this.#ended === undefined) await this.#more(bytes, deadline)
    if (this.#bytes < bytes) throw this.#ended?.reason ?? new Overdue("the storage does not go on")
    const all = Buffer.concat(this.#chunks)
    const rest = all.subarray(bytes)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
    if (this.#bytes < ahead) this.#source.resume()
    return all.subarray(0, bytes)
  }

  #more(bytes: number, deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting = undefined
        resolve()
      }
      const timer = setTimeout(wake, deadline)
      this.#waiting = { bytes, wake, timer }
      this.#source.resume()
    })
  }

  readonly close = (): void => {
    this.#source.destroy()
  }
}
