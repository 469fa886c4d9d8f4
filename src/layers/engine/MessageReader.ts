import type { Readable } from "node:stream"
import { decodeMessage, maxMessageBytes, type RunMessage } from "../../protocol/RunProtocol.ts"

/** Waits until the stream has data, ends or fails. */
const moved = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    const events = ["readable", "end", "close", "error"]
    const done = () => {
      for (const event of events) stream.off(event, done)
      resolve()
    }
    for (const event of events) stream.on(event, done)
  })

/** Reads a child's messages on request. Unread messages stay in the pipe, which slows the child down (backpressure). */
export class Messages {
  readonly #stream: Readable
  #rest: Array<Buffer> = []
  #restBytes = 0
  #begun = false

  constructor(stream: Readable) {
    this.#stream = stream
    // When a child exits, Node resumes its streams and would discard unread data. A `readable` listener keeps the last
    // messages until they are read.
    stream.on("readable", () => {})
  }

  /** Whether the child has sent anything, be it read or not. */
  get begun(): boolean {
    return this.#begun || this.#stream.readableLength > 0
  }

  async #chunk(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk: Buffer | null = this.#stream.read()
      if (chunk !== null) {
        this.#begun = true
        return chunk
      }
      if (this.#stream.readableEnded || this.#stream.destroyed) return undefined
      await moved(this.#stream)
    }
  }

  /** At least one message, or undefined at the end. Rejects when a line is not a message. */
  async next(): Promise<ReadonlyArray<RunMessage> | undefined> {
    for (;;) {
      const chunk = await this.#chunk()
      if (chunk === undefined) return undefined
      this.#rest.push(chunk)
      this.#restBytes += chunk.length
      const end = chunk.lastIndexOf(0x0a)
      if (end === -1) {
        if (this.#restBytes > maxMessageBytes) throw new Error("a message is too long")
        continue
      }
      const text = Buffer.concat(this.#rest)
      const whole = text.length - chunk.length + end
      this.#rest = [text.subarray(whole + 1)]
      this.#restBytes = text.length - whole - 1
      return text.toString("utf8", 0, whole).split("\n").map(decodeMessage)
    }
  }
}
