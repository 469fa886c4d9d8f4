import { batchCharacters, batchRecords } from "../Batch.ts"
import { Failures } from "../Failures.ts"
import { chosen, type Emit, type Event, type NodeContext } from "../Node.ts"
import { type TextFormat, textDecoder, textReader } from "./TextReader.ts"

/** Reads one source in batches: bytes in, records and failures out. Does not wait between the lines of a chunk. */
export class RecordReader {
  readonly #emit: Emit
  readonly #failures: Failures
  readonly #read: ReturnType<typeof textReader>
  readonly #decode = textDecoder()
  #waiting: Array<Event> = []
  #size = 0

  constructor(format: TextFormat, context: NodeContext, emit: Emit) {
    this.#emit = emit
    this.#failures = new Failures(context)
    this.#read = textReader(format, this.#failures)
  }

  push(chunk: Uint8Array): void | Promise<void> {
    const text = this.#decode(chunk)
    this.#read.push(text, this.#waiting)
    this.#size += text.length
    if (this.#waiting.length >= batchRecords || this.#size >= batchCharacters) return this.send()
  }

  /** Reads the last line, which may lack its end. */
  async end(): Promise<void> {
    this.#read.push(this.#decode(), this.#waiting)
    this.#read.end(this.#waiting)
    await this.send()
  }

  /** Sends the records read so far. */
  async send(): Promise<void> {
    const events = this.#waiting
    this.#waiting = []
    this.#size = 0
    for (let at = 0; at < events.length; at += batchRecords) {
      await this.#emit(chosen, events.length <= batchRecords ? events : events.slice(at, at + batchRecords))
    }
    await this.#failures.send(this.#emit)
  }
}
