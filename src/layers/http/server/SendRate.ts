import { readFile } from "node:fs/promises"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Predicate } from "effect"
import { connected } from "./Connections.ts"

/** Milliseconds over which the rate of a connection is measured, and milliseconds between two checks of it. */
const measured = 60_000
const lookEvery = 10_000

/** A key for a loopback connection, formed as in `/proc/net/tcp`: remote address and port, local port. */
const numberOf = ({ remoteAddress = "", remotePort = 0, localPort = 0 }: Socket): string => {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, "0")
  const bytes = remoteAddress.split(".").map(Number)
  const address =
    bytes.length === 4
      ? bytes
          .reverse()
          .map((byte) => hex(byte, 2))
          .join("")
      : remoteAddress
  return `${address === "::1" ? "00000000000000000000000001000000" : address}:${hex(remotePort, 4)} ${hex(localPort, 4)}`
}

const row = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm

/**
 * Bytes in the kernel's send buffer per connection, not yet taken by the other side. Empty if the system does not tell.
 */
const heldByKernel = async (): Promise<ReadonlyMap<string, number>> => {
  const held = new Map<string, number>()
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const table = await readFile(file, "latin1").catch(() => "")
    for (const [, local, remote, queued = "0"] of table.matchAll(row)) {
      held.set(`${remote} ${local}`, Number.parseInt(queued, 16))
    }
  }
  return held
}

const count = (value: unknown, name: string): number =>
  Predicate.hasProperty(value, name) && typeof value[name] === "number" ? value[name] : 0

/**
 * Bytes that this process has passed to the kernel. A socket counts a write only when it is complete, which may take
 * minutes for a large one; its handle counts the parts.
 */
const givenToKernel = (socket: Socket): number =>
  Predicate.hasProperty(socket, "_handle") && Predicate.isObject(socket._handle)
    ? count(socket._handle, "bytesWritten") - count(socket._handle, "writeQueueSize")
    : socket.bytesWritten - socket.writableLength

/**
 * Closes connections whose client takes less than a minimum of bytes while there is something to send, because the
 * unsent answer occupies memory. The kernel's own buffer, of up to 4 MiB, is subtracted: it is refilled only when a
 * third of it is free, which takes minutes for a slow client that is still reading.
 */
export class SendRate {
  readonly #bytes: number
  readonly #sockets = new Map<Socket, { readonly since: number; readonly taken: number } | undefined>()

  /** `rate` is the minimum at which a client has to read, in bytes per second. */
  constructor(rate: number) {
    this.#bytes = (rate * measured) / 1000
  }

  /** Watches the connections of a server until it is closed. */
  watch(server: Server): void {
    server.on(connected(server), (socket: Socket) => this.add(socket))
    const timer = setInterval(() => void this.look(performance.now()), lookEvery).unref()
    server.once("close", () => clearInterval(timer))
  }

  add(socket: Socket): void {
    this.#sockets.set(socket, undefined)
    socket.once("close", () => this.#sockets.delete(socket))
  }

  /** Closes the connections that are too slow at `now`, in milliseconds. */
  async look(now: number): Promise<void> {
    const waiting = [...this.#sockets.keys()].filter(({ writableLength }) => writableLength > 0)
    for (const socket of this.#sockets.keys()) if (socket.writableLength === 0) this.#sockets.set(socket, undefined)
    if (waiting.length === 0) return
    const held = await heldByKernel()
    for (const socket of waiting.filter((one) => this.#sockets.has(one))) {
      const taken = givenToKernel(socket) - (held.get(numberOf(socket)) ?? 0)
      const last = this.#sockets.get(socket)
      if (last === undefined || taken - last.taken >= this.#bytes) this.#sockets.set(socket, { since: now, taken })
      else if (now - last.since >= measured) socket.destroy()
    }
  }
}
