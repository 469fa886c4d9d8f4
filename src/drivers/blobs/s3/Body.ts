import type { Readable } from "node:stream"
import { Overdue } from "../Calls.ts"

/** Bytes that are taken off the line before anybody asks for them. */
const ahead = 512 * 1024

/**
 * The bytes of an answer, taken in pieces of a wanted length. The server has a deadline only while somebody waits for
 * it; a taker that does not come back soon just stops the flow.
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

  /** Exactly so many bytes. Fails when they do not come, or nothing comes for so many milliseconds. */
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
