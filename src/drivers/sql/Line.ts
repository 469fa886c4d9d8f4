import type { NetConnectOpts } from "node:net"
import type { Duplex } from "node:stream"
import { connectWatched } from "../postgres/LivenessSocket.ts"

/** After how many milliseconds of silence a server is probed, and how many it then has to answer. */
const patience = { silence: 5000, probe: 5000 }

/** The connection to a database. It tracks whether the server has to send something, and whether it can. */
export class Line {
  readonly #open = new Set<Duplex>()
  #isAwaited = false
  #opened = 0

  /** How many connections were opened so far. */
  get opened(): number {
    return this.#opened
  }

  open(target: NetConnectOpts, isEncrypted: boolean): Duplex {
    const socket = connectWatched(target, patience, isEncrypted, () => this.#isAwaited)
    this.#opened++
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
    return socket
  }

  /** Work of the database: a server that stops responding meanwhile counts as gone. */
  async awaiting<A>(work: () => Promise<A>): Promise<A> {
    this.#isAwaited = true
    try {
      return await work()
    } finally {
      this.#isAwaited = false
    }
  }

  /** Closes the connection; the next work opens another. */
  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }

  /** Work in the middle of an answer, during which the server keeps the rest of it. */
  async holding(work: () => Promise<void>): Promise<void> {
    this.#isAwaited = false
    for (const socket of this.#open) socket.pause()
    try {
      await work()
    } finally {
      this.#isAwaited = true
      for (const socket of this.#open) socket.resume()
    }
  }
}
