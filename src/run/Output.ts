import type { Channel } from "./MessageChannel.ts"

/** Longest line that is kept whole, in UTF-16 units: the bound is for the reader's memory, not for the byte. */
const maxLine = 64 * 1024
const batchLines = 256
const batchUnits = 256 * 1024
const batchMillis = 50
/** What a lasting run may print in a second: its gateway keeps so many lines of it in all. */
const windowMillis = 1000
const windowLines = 1000
const windowBytes = 1024 * 1024

interface Line {
  readonly component: string
  readonly text: string
  readonly at: number
}

/**
 * Printed lines on their way out, in batches and up to the limit of the run. A lasting run is limited by the second:
 * what is over that is left out, and a line says how much it was.
 */
export class Output {
  readonly #channel: Channel
  readonly #maxLines: number
  readonly #maxBytes: number
  readonly #lasting: boolean
  #window = 0
  #leftOut = 0
  #silence: NodeJS.Timeout | undefined
  #lines = 0
  #bytes = 0
  #truncated = false
  #batch: Array<Line> = []
  #units = 0
  #timer: NodeJS.Timeout | undefined

  constructor(channel: Channel, maxLines: number, maxBytes: number, lasting = false) {
    this.#channel = channel
    this.#maxLines = lasting ? Math.min(maxLines, windowLines) : maxLines
    this.#maxBytes = lasting ? Math.min(maxBytes, windowBytes) : maxBytes
    this.#lasting = lasting
  }

  async print(component: string, lines: ReadonlyArray<string>): Promise<void> {
    const at = Date.now()
    if (this.#lasting && Math.abs(at - this.#window) >= windowMillis) {
      this.#tellLeftOut()
      this.#window = at
      this.#lines = 0
      this.#bytes = 0
    }
    for (const line of lines) {
      if (this.#truncated) return
      const text = line.length > maxLine ? line.slice(0, maxLine) : line
      this.#bytes += Buffer.byteLength(text)
      if (++this.#lines > this.#maxLines || this.#bytes > this.#maxBytes) {
        if (this.#lasting) {
          if (this.#leftOut++ === 0) this.#silence = setTimeout(() => void this.end(), windowMillis)
          continue
        }
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

  /** The last lines, when nothing is printed any more, or nothing for a while. */
  end(): Promise<void> | undefined {
    this.#tellLeftOut()
    return this.flush()
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return
    clearTimeout(this.#silence)
    this.#batch.push({ component: "", text: `(${this.#leftOut} lines were left out)`, at: Date.now() })
    this.#leftOut = 0
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
