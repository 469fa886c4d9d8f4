import type { Channel } from "./MessageChannel.ts"

/** Maximum length of a line, in UTF-16 units: it protects the reader's memory, so exact bytes do not matter. */
const maxLine = 64 * 1024
const batchLines = 256
const batchUnits = 256 * 1024
const batchMillis = 50
/** Limits of a job's output per window: its gateway keeps this many lines of it in all. */
const windowMillis = 1000
const windowLines = 1000
const windowBytes = 1024 * 1024

interface Line {
  readonly component: string
  readonly text: string
  readonly at: number
}

/**
 * Sends printed lines to the parent in batches, up to the limits of the run. For a job (`lasting`) the limits apply per
 * second: excess lines are dropped, and a line says how many.
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

  /** Sends the remaining lines: at the end of the run, or after a second without output. */
  end(): Promise<void> | undefined {
    this.#tellLeftOut()
    return this.flush()
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return
    clearTimeout(this.#silence)
    this.#batch.push({ component: "", text: `(${this.#leftOut} lines were dropped)`, at: Date.now() })
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
