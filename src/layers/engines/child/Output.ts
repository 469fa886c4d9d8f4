import type { Channel } from "./Channel.ts"

/** Longest line that is kept whole, in UTF-16 units: the bound is for the reader's memory, not for the byte. */
const maxLine = 64 * 1024
const batchLines = 256
const batchUnits = 256 * 1024
const batchMillis = 50

interface Line {
  readonly component: string
  readonly text: string
  readonly at: number
}

/** Printed lines on their way out, in batches and up to the limit of the run. */
export class Output {
  readonly #channel: Channel
  readonly #maxLines: number
  readonly #maxBytes: number
  #lines = 0
  #bytes = 0
  #truncated = false
  #batch: Array<Line> = []
  #units = 0
  #timer: NodeJS.Timeout | undefined

  constructor(channel: Channel, maxLines: number, maxBytes: number) {
    this.#channel = channel
    this.#maxLines = maxLines
    this.#maxBytes = maxBytes
  }

  async print(component: string, lines: ReadonlyArray<string>): Promise<void> {
    const at = Date.now()
    for (const line of lines) {
      if (this.#truncated) return
      const text = line.length > maxLine ? line.slice(0, maxLine) : line
      this.#bytes += Buffer.byteLength(text)
      if (++this.#lines > this.#maxLines || this.#bytes > this.#maxBytes) {
        this.#truncated = true
        await this.flush()
        await this.#channel.send({ _tag: "Truncated" })
        return
      }
      this.#batch.push({ component, text, at })
      this.#units += text.length
      if (this.#batch.length >= batchLines || this.#units >= batchUnits) await this.flush()
    }
    if (this.#batch.length > 0) this.#timer ??= setTimeout(() => void this.flush(), batchMillis)
  }

  flush(): Promise<void> | undefined {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#batch.length === 0) return undefined
    const lines = this.#batch
    this.#batch = []
    this.#units = 0
    return this.#channel.send({ _tag: "Output", lines })
  }
}
