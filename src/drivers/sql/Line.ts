import type { NetConnectOpts } from "node:net"
import type { Duplex } from "node:stream"
import { connectWatched } from "../postgres/LivenessSocket.ts"

/** When a silent server is probed, and how long it then has, in milliseconds. */
const patience = { silence: 5000, probe: 5000 }

/** The way to a database, which knows whether the server has to send something, and whether it may. */
export class Line {
  readonly #open = new Set<Duplex>()
  #isAwaited = false

  open(target: NetConnectOpts, isEncrypted: boolean): Duplex {
    const socket = connectWatched(target, patience, isEncrypted, () => this.#isAwaited)
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
    return socket
  }

  /** Work of the database: a server that falls silent meanwhile is away. */
  async awaiting<A>(work: () => Promise<A>): Promise<A> {
    this.#isAwaited = true
    try {
      return await work()
    } finally {
      this.#isAwaited = false
    }
  }

  /** Work in the middle of an answer, during which the rest of it stays with the server. */
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
