import { Socket } from "node:net"
import { channelFd, type RunMessage } from "../protocol/RunProtocol.ts"

/** The channel to the parent: ordered, one message per line. While the parent is slow, `send` stays pending. */
export class Channel {
  readonly #socket = new Socket({ fd: channelFd, readable: false, writable: true })
  #drained: Promise<void> | undefined

  constructor() {
    // The parent has ended; the parent watch ends this process.
    this.#socket.on("error", () => {})
  }

  /** Whether the parent is behind. Messages that can be left out, such as counters, should be. */
  get congested(): boolean {
    return this.#drained !== undefined
  }

  send(message: RunMessage): Promise<void> | undefined {
    if (this.#socket.write(`${JSON.stringify(message)}\n`)) return undefined
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#drained = undefined
        resolve()
      }
      this.#socket.once("drain", done)
    })
    return this.#drained
  }

  /** Resolves when all messages are in the parent's end of the pipe. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once("error", () => resolve())
      this.#socket.end(() => resolve())
    })
  }
}
