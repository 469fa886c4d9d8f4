import type { Server } from "node:http"
import { isIPv6, type Socket } from "node:net"
import { plainAddress } from "./Forwarded.ts"

/** Limits on open connections. */
interface ConnectionLimits {
  /** Maximum number for all addresses together. */
  readonly all: number
  /** Maximum number per address; IPv6 addresses count by their /64 network, which usually belongs to one client. */
  readonly each: number
  /** Whether many clients share the address, so that {@link each} does not apply. */
  readonly isExempt: (address: string) => boolean
}

/** The first four groups of an IPv6 address, the network of 64 bits that one client usually has; else the address. */
export const networkOf = (given: string): string => {
  const address = plainAddress(given)
  if (!isIPv6(address)) return address
  const [head = "", tail] = address.replace(/%.*$/, "").split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}

/** Counts open connections, and refuses those beyond the limits before anything of them is read. */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits
  readonly #byNetwork = new Map<string, number>()
  /** Connections that are open. */
  open = 0
  /** Number of refused connections, by the limit that refused them: that of the address, or that of all. */
  readonly refused = { address: 0, all: 0 }

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** `refuse` closes a connection beyond the limit of its address. Node itself closes those beyond the limit of all. */
  guard(server: Server, refuse: (socket: Socket, network: string, limit: number) => void): void {
    // Node's own listeners would read or start the handshake, so they only get admitted connections.
    const begin = server.listeners("connection")
    server.removeAllListeners("connection")
    server.on("connection", (socket: Socket) => {
      // Node counts only connections that the server itself accepted, not those of the other loopback address.
      if (this.open >= this.#limits.all) {
        this.refused.all += 1
        socket.destroy()
        return
      }
      const refused = this.#refusal(socket)
      if (refused !== undefined) return refuse(socket, refused, this.#limits.each)
      for (const listener of begin) Reflect.apply(listener, server, [socket])
    })
    server.maxConnections = this.#limits.all
    server.on("drop", () => {
      this.refused.all += 1
    })
  }

  /** The network that would exceed its limit with this connection; undefined if none does. */
  #refusal(socket: Socket): string | undefined {
    this.open += 1
    socket.once("close", () => {
      this.open -= 1
    })
    const address = plainAddress(socket.remoteAddress ?? "")
    if (this.#limits.isExempt(address)) return undefined
    const network = networkOf(address)
    const used = this.#byNetwork.get(network) ?? 0
    if (used >= this.#limits.each) {
      this.refused.address += 1
      return network
    }
    this.#byNetwork.set(network, used + 1)
    socket.once("close", () => {
      const left = (this.#byNetwork.get(network) ?? 1) - 1
      if (left === 0) this.#byNetwork.delete(network)
      else this.#byNetwork.set(network, left)
    })
    return undefined
  }
}
